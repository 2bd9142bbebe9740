'use strict';
// Works on what stands in the page: nothing is fetched. Text of the evidence is put in as text;
// the only markup that is put in is what the page itself holds packed, escaped when it was written.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($('data').textContent);
  const same = { createHTML: (text) => text };
  const trusted = window.trustedTypes ? window.trustedTypes.createPolicy('locard', same) : same;

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes = {}, text = '') => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };

  // Facts: those that stand in the page, and those that are packed, by their numbers.

  const [ID, TITLE, AGENT, EVIDENCE, KIND, LANE, PATH] = [0, 1, 2, 3, 4, 5, 6];
  const facts = data.facts;
  const numbers = new Map(facts.map((fact, number) => [fact[ID], number]));
  const list = $('list');
  const elements = new Map([...list.children].map((element, number) => [number, element]));
  const pieces = [...document.querySelectorAll('script.packed')];
  const unpacked = new Map();

  const unpack = async (piece) => {
    const bytes = Uint8Array.from(atob(pieces[piece].textContent), (c) => c.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
    const template = document.createElement('template');
    template.innerHTML = trusted.createHTML(text);
    const first = data.plain + piece * data.packed;
    [...template.content.children].forEach((element, place) => elements.set(first + place, element));
  };

  const fact = async (number) => {
    if (!elements.has(number)) {
      const piece = Math.floor((number - data.plain) / data.packed);
      if (!unpacked.has(piece)) unpacked.set(piece, unpack(piece));
      await unpacked.get(piece);
    }
    return elements.get(number);
  };

  // Filters.

  const timesOf = facts.map(() => []);
  for (const [at, number] of data.times) timesOf[number].push(at);
  const texts = facts.map((fact) => `${fact[TITLE]} ${fact[PATH]} ${fact[ID]}`.toLowerCase());
  const wanted = { text: '', agent: '', evidence: '', lane: '', kind: '', thing: '', technique: '', inside: false };
  let shownWindow = [...data.window];

  const fits = (number, words, sets) => {
    const it = facts[number];
    if (wanted.agent !== '' && it[AGENT] !== +wanted.agent) return false;
    if (wanted.evidence !== '' && it[EVIDENCE] !== +wanted.evidence) return false;
    if (wanted.lane !== '' && it[LANE] !== +wanted.lane) return false;
    if (wanted.kind !== '' && it[KIND] !== +wanted.kind) return false;
    if (!sets.every((set) => set.has(number))) return false;
    const [from, to] = shownWindow;
    if (wanted.inside && !timesOf[number].some((at) => at >= from && at <= to)) return false;
    return words.every((word) => texts[number].includes(word));
  };

  // A page is drawn in two steps: what fills the screen, and the rest when that is seen.
  const [SCREEN, PAGE] = [20, 100];
  let matching = facts.map((_, number) => number);
  let shown = 0;
  let drawing = 0;

  const showMore = async (fresh) => {
    const own = ++drawing;
    let from = fresh ? 0 : shown;
    const upTo = from + PAGE;
    for (const to of [from + SCREEN, upTo].map((to) => Math.min(matching.length, to))) {
      const next = await Promise.all(matching.slice(from, to).map(fact));
      if (own !== drawing) return;
      if (fresh && from === 0) list.replaceChildren(...next);
      else list.append(...next);
      shown = to;
      $('more').hidden = shown >= matching.length;
      const all = matching.length === facts.length;
      $('matching').textContent = all ? `${facts.length} facts` : `${matching.length} of ${facts.length} facts match`;
      if (to === matching.length) return;
      from = to;
      await new Promise((done) => { setTimeout(done, 50); });
      if (own !== drawing) return;
    }
  };

  // The list comes first: whoever types waits for that.
  let lineDue = 0;
  const drawLineSoon = () => {
    lineDue ||= setTimeout(() => { lineDue = 0; drawLine(); }, 50);
  };

  const filter = () => {
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = [[data.things, wanted.thing], [data.techniques, wanted.technique]].filter(([, value]) => value !== '');
    const sets = chosen.map(([of, value]) => new Set(of[+value][1]));
    matching = [];
    for (let number = 0; number < facts.length; number += 1) {
      if (fits(number, words, sets)) matching.push(number);
    }
    drawLineSoon();
    return showMore(true);
  };

  const select = (name, label, names) => {
    const select = make('select', { name }, make('option', { value: '' }, 'all'));
    names.forEach((text, value) => select.append(make('option', { value }, text)));
    select.addEventListener('change', () => { wanted[name] = select.value; filter(); });
    return make('label', {}, label, select);
  };

  const buildFilter = () => {
    const form = $('filter');
    const text = make('input', { type: 'search', name: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'words, or part of one' });
    text.addEventListener('input', () => { wanted.text = text.value; filter(); });
    const inside = make('input', { type: 'checkbox', name: 'inside' });
    inside.addEventListener('change', () => { wanted.inside = inside.checked; filter(); });
    const clear = make('button', { type: 'reset' }, 'Clear');
    form.append(
      make('label', {}, 'Search (press /)', text),
      select('agent', 'Agent', data.agents),
      select('evidence', 'Evidence', data.evidence),
      select('lane', 'Kind of source', data.lanes),
      select('kind', 'Record type', data.kinds),
      ...(data.things.length ? [select('thing', 'Entity', data.things.map((thing) => thing[0]))] : []),
      ...(data.techniques.length ? [select('technique', 'ATT&CK technique', data.techniques.map((it) => it[0]))] : []),
      make('label', { class: 'check' }, inside, 'only in the time shown'),
      clear,
    );
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => {
      Object.assign(wanted, { text: '', agent: '', evidence: '', lane: '', kind: '', thing: '', technique: '', inside: false });
      filter();
    });
    form.hidden = false;
    $('more').addEventListener('click', () => showMore(false));
    document.addEventListener('keydown', (event) => {
      const typing = /^(input|select|textarea)$/i.test(event.target.tagName);
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        text.focus();
        text.scrollIntoView({ block: 'center' });
      }
    });
  };

  // The timeline: the same measures as the picture that stands in the page.

  const [LEFT, WIDE, LANE_HIGH, TOP, BARS, MARKS] = [130, 860, 26, 8, 215, 4];
  const range = data.times.length ? [data.times[0][0], data.times[data.times.length - 1][0]] : [0, 1];
  const iso = (at) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

  const count = (from, to, lanes, laneOf) => {
    const bars = Array.from({ length: lanes }, () => new Uint32Array(BARS));
    const mask = new Uint8Array(facts.length);
    for (const number of matching) mask[number] = 1;
    const scale = BARS / Math.max(1, to - from);
    for (const [at, number] of data.times) {
      if (at >= from && at <= to && mask[number]) bars[laneOf(number)][Math.min(BARS - 1, Math.floor((at - from) * scale))] += 1;
    }
    return bars;
  };

  const drawLine = () => {
    const svg = $('line');
    if (!svg) return;
    const [from, to] = shownWindow;
    const bars = count(from, to, data.lanes.length, (number) => facts[number][LANE]);
    const most = Math.max(1, ...bars.map((lane) => Math.max(...lane)));
    const wide = WIDE / BARS;
    svg.replaceChildren();
    bars.forEach((lane, place) => {
      const y = TOP + LANE_HIGH * place;
      svg.append(draw('text', { class: 'lane', x: LEFT - 8, y: y + 17, 'text-anchor': 'end' }, data.lanes[place]));
      svg.append(draw('line', { class: 'rule', x1: LEFT, x2: LEFT + WIDE, y1: y + LANE_HIGH - 2, y2: y + LANE_HIGH - 2 }));
      lane.forEach((number, bar) => {
        if (!number) return;
        const tall = 4 + ((LANE_HIGH - 8) * Math.log1p(number)) / Math.log1p(most);
        const rect = draw('rect', { class: 'bar', x: LEFT + wide * bar, y: y + LANE_HIGH - 2 - tall, width: wide - 0.6, height: tall, 'data-lane': place, 'data-bar': bar });
        rect.append(draw('title', {}, `${number} × ${data.lanes[place]}, ${iso(from + ((to - from) * bar) / BARS)}`));
        svg.append(rect);
      });
    });
    const height = TOP + LANE_HIGH * data.lanes.length + 26;
    for (let mark = 0; mark <= MARKS; mark += 1) {
      const anchor = mark === MARKS ? 'end' : mark === 0 ? 'start' : 'middle';
      svg.append(draw('text', { class: 'mark', x: LEFT + (WIDE * mark) / MARKS, y: height - 6, 'text-anchor': anchor }, iso(from + ((to - from) / MARKS) * mark)));
    }
    const [x, width] = [place(from), Math.max(2, place(to) - place(from))];
    const pane = document.querySelector('#overview .window');
    if (pane) { pane.setAttribute('x', x); pane.setAttribute('width', width); }
    for (const [name, at] of [['from', from], ['to', to]]) {
      const input = document.querySelector(`#span [name=${name}]`);
      if (input && document.activeElement !== input) input.value = new Date(at).toISOString().slice(0, 19);
    }
  };

  // Where a time stands in the overview, which is as wide as the lanes.
  const place = (at) => LEFT + (WIDE * (Math.min(Math.max(at, range[0]), range[1]) - range[0])) / Math.max(1, range[1] - range[0]);
  const timeAt = (x) => range[0] + ((x - LEFT) / WIDE) * (range[1] - range[0]);

  const LEAST = 1000;
  const FAR = 8.64e15;
  const setWindow = (from, to) => {
    if (!(to - from >= LEAST)) to = from + LEAST;
    shownWindow = [Math.max(-FAR, Math.round(from)), Math.min(FAR, Math.round(to))];
    if (wanted.inside) filter(); else drawLine();
  };
  const zoom = (factor, at = (shownWindow[0] + shownWindow[1]) / 2) => {
    const [from, to] = shownWindow;
    setWindow(at - (at - from) * factor, at + (to - at) * factor);
  };
  const move = (part) => {
    const [from, to] = shownWindow;
    setWindow(from + (to - from) * part, to + (to - from) * part);
  };

  const atPointer = (svg, event) => {
    const box = svg.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * 1000;
  };

  const buildOverview = () => {
    const svg = draw('svg', { viewBox: '0 0 1000 40', role: 'img', 'aria-label': 'All times; drag to choose the time shown' });
    const bars = count(range[0], range[1], 1, () => 0)[0];
    const most = Math.max(1, ...bars);
    bars.forEach((number, bar) => {
      if (!number) return;
      const tall = 3 + (33 * Math.log1p(number)) / Math.log1p(most);
      svg.append(draw('rect', { class: 'bar', x: LEFT + (WIDE / BARS) * bar, y: 38 - tall, width: WIDE / BARS - 0.6, height: tall }));
    });
    svg.append(draw('text', { x: LEFT - 8, y: 25, 'text-anchor': 'end' }, 'all times'));
    svg.append(draw('rect', { class: 'window', x: 0, y: 1, width: 0, height: 38 }));
    let start = null;
    svg.addEventListener('pointerdown', (event) => { start = atPointer(svg, event); svg.setPointerCapture(event.pointerId); });
    svg.addEventListener('pointermove', (event) => {
      if (start === null) return;
      const [one, other] = [start, atPointer(svg, event)].sort((a, b) => a - b);
      if (other - one > 2) setWindow(timeAt(one), timeAt(other));
    });
    svg.addEventListener('pointerup', () => { start = null; });
    $('overview').append(svg);
    $('overview').hidden = false;
  };

  const buildSpan = () => {
    const form = $('span');
    const button = (text, label, act) => {
      const button = make('button', { type: 'button', 'aria-label': label, title: label }, text);
      button.addEventListener('click', act);
      return button;
    };
    const input = (name, label, set) => {
      const input = make('input', { type: 'datetime-local', step: '1', name });
      input.addEventListener('change', () => { const at = Date.parse(`${input.value}Z`); if (!Number.isNaN(at)) set(at); });
      return make('label', {}, label, input);
    };
    form.append(
      input('from', 'From (UTC)', (at) => setWindow(at, Math.max(at + LEAST, shownWindow[1]))),
      input('to', 'To (UTC)', (at) => setWindow(Math.min(at - LEAST, shownWindow[0]), at)),
      button('←', 'Earlier', () => move(-0.5)),
      button('→', 'Later', () => move(0.5)),
      button('+', 'Zoom in', () => zoom(0.5)),
      button('−', 'Zoom out', () => zoom(2)),
      button('All', 'Show all times', () => setWindow(range[0], range[1])),
      button('Reset', 'Show the time shown first', () => setWindow(...data.window)),
    );
    form.addEventListener('submit', (event) => event.preventDefault());
    form.hidden = false;
  };

  // The facts of one bar: their time and their kind of source become the filter.
  const showBar = (bar, lane) => {
    const [from, to] = shownWindow;
    const step = (to - from) / BARS;
    setWindow(from + step * bar, from + step * (bar + 1));
    const form = $('filter').elements;
    form.inside.checked = wanted.inside = true;
    form.lane.value = wanted.lane = String(lane);
    filter().then(() => $('facts').scrollIntoView());
  };

  const buildLine = () => {
    const svg = $('line');
    if (!svg) return;
    buildOverview();
    buildSpan();
    svg.setAttribute('tabindex', '0');
    svg.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const [from, to] = shownWindow;
      zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, from + ((atPointer(svg, event) - LEFT) / WIDE) * (to - from));
    }, { passive: false });
    let grabbed = null;
    svg.addEventListener('pointerdown', (event) => { grabbed = { x: atPointer(svg, event), window: shownWindow, moved: false, bar: event.target.closest('.bar') }; svg.setPointerCapture(event.pointerId); });
    svg.addEventListener('pointermove', (event) => {
      if (!grabbed) return;
      const by = atPointer(svg, event) - grabbed.x;
      if (Math.abs(by) < 4 && !grabbed.moved) return;
      grabbed.moved = true;
      const [from, to] = grabbed.window;
      setWindow(from - (by / WIDE) * (to - from), to - (by / WIDE) * (to - from));
    });
    svg.addEventListener('pointerup', () => {
      const bar = grabbed && !grabbed.moved && grabbed.bar;
      grabbed = null;
      if (bar) showBar(+bar.dataset.bar, +bar.dataset.lane);
    });
    svg.addEventListener('keydown', (event) => {
      const act = { ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), '+': () => zoom(0.5), '-': () => zoom(2) }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
    drawLine();
  };

  // The graph: what a node rests on and what rests on it.

  const buildNet = () => {
    const svg = document.querySelector('svg.net');
    if (!svg) return;
    const edges = [...svg.querySelectorAll('.edge')];
    const reach = (start, along, to) => {
      const found = new Set([start]);
      for (let grew = true; grew;) {
        grew = false;
        for (const edge of edges) {
          if (found.has(edge.dataset[along]) && !found.has(edge.dataset[to])) { found.add(edge.dataset[to]); grew = true; }
        }
      }
      return found;
    };
    const pick = (node) => {
      svg.classList.toggle('picked', node !== null);
      const [behind, ahead] = node === null ? [new Set(), new Set()] : [reach(node, 'to', 'from'), reach(node, 'from', 'to')];
      const on = (set, edge) => set.has(edge.dataset.from) && set.has(edge.dataset.to);
      edges.forEach((edge) => edge.classList.toggle('on', on(behind, edge) || on(ahead, edge)));
      svg.querySelectorAll('.node').forEach((it) => it.classList.toggle('on', behind.has(it.dataset.node) || ahead.has(it.dataset.node)));
    };
    svg.querySelectorAll('.node').forEach((node) => {
      node.addEventListener('pointerenter', () => pick(node.dataset.node));
      node.addEventListener('pointerleave', () => pick(null));
      node.addEventListener('focus', () => pick(node.dataset.node));
      node.addEventListener('blur', () => pick(null));
    });
    const [width, height] = [+svg.getAttribute('width'), +svg.getAttribute('height')];
    let scale = 1;
    const resize = (factor) => {
      scale = Math.min(3, Math.max(0.4, scale * factor));
      svg.setAttribute('width', width * scale);
      svg.setAttribute('height', height * scale);
    };
    const form = make('form', { 'aria-label': 'Size of the graph' });
    for (const [text, label, factor] of [['+', 'Larger', 1.25], ['−', 'Smaller', 0.8]]) {
      const button = make('button', { type: 'button', 'aria-label': label, title: label }, text);
      button.addEventListener('click', () => resize(factor));
      form.append(button);
    }
    $('net').before(form);
  };

  // Links to what is folded, packed or filtered away.

  const reveal = async (id) => {
    const number = numbers.get(id.replace(/^proof-/, ''));
    if (number !== undefined) {
      const element = await fact(number);
      if (!element.isConnected) list.prepend(element);
      element.querySelector('details').open = true;
    }
    const target = $(id);
    if (!target) return;
    for (let up = target.parentElement; up; up = up.parentElement) {
      if (up.tagName === 'DETAILS') up.open = true;
    }
    if (target.tagName === 'DETAILS') target.open = true;
    (number === undefined ? target : target.closest('article')).scrollIntoView({ block: 'start' });
    if (number !== undefined) target.focus({ preventScroll: true });
  };

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const id = link.getAttribute('href').slice(1);
    event.preventDefault();
    if (location.hash !== `#${id}`) history.pushState(null, '', `#${id}`);
    reveal(id);
  });
  window.addEventListener('popstate', () => { if (location.hash) reveal(location.hash.slice(1)); });
  window.addEventListener('beforeprint', () => {
    document.querySelectorAll('#answers details, #happened details, #hypotheses details, #limits details').forEach((it) => { it.open = true; });
  });

  buildFilter();
  buildLine();
  buildNet();
  showMore(true).then(() => { if (location.hash) reveal(location.hash.slice(1)); });
  document.documentElement.dataset.ready = 'yes';
})();
