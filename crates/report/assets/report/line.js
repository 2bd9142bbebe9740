// The timeline: the same measures and words as the picture that stands in the page.

const [LEFT, RIGHT, LANE_HIGH, TOP, BARS] = [130, 10, 26, 8, 215];
// The width of the pictures, so that text is never smaller than elsewhere; and of their lanes.
const [NARROW, BROAD] = [320, 1000];
let across = BROAD;
let WIDE = BROAD - LEFT - RIGHT;
const times = data.times.at;
const full = times.length ? [times[0], times[times.length - 1]] : [0, 1];
// What the strip reaches over: most times, or all of them.
let range = [...data.bulk];
const iso = (at) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

const counted = (from, to, lanes, laneOf) => {
  const bars = Array.from({ length: lanes }, () => new Uint32Array(BARS));
  const scale = BARS / Math.max(1, to - from);
  let [earlier, inside, later] = [0, 0, 0];
  for (let place = 0; place < times.length; place += 1) {
    const at = times[place];
    const number = data.times.fact[place];
    if (!mask[number]) continue;
    if (at < from) earlier += 1;
    else if (at > to) later += 1;
    else {
      inside += 1;
      bars[laneOf(number)][Math.min(BARS - 1, Math.floor((at - from) * scale))] += 1;
    }
  }
  return { bars, earlier, inside, later };
};

// Said when the window stands still: a screen reader would read every step.
let captionDue = 0;
const sayCaption = ({ earlier, inside, later }) => {
  clearTimeout(captionDue);
  captionDue = setTimeout(() => {
    const [from, to] = shownWindow;
    const filtered = isFiltered() ? ` Filtered: times of ${matching.length} of ${total} facts.` : '';
    const text = `Shown: ${iso(from)} to ${iso(to)} (UTC), ${inside} of ${earlier + inside + later} times; ${earlier} lie before and ${later} after.${filtered}`;
    if ($('caption').textContent !== text) $('caption').textContent = text;
  }, 300);
};

const measure = () => {
  across = Math.min(BROAD, Math.max(NARROW, $('line').clientWidth));
  WIDE = across - LEFT - RIGHT;
};

const drawLine = () => {
  const svg = $('line');
  if (!svg) return;
  const [from, to] = shownWindow;
  const drawn = counted(from, to, data.lanes.length, (number) => columns.lane[number]);
  const most = Math.max(1, ...drawn.bars.map((lane) => Math.max(...lane)));
  const wide = WIDE / BARS;
  svg.replaceChildren();
  drawn.bars.forEach((lane, place) => {
    const y = TOP + LANE_HIGH * place;
    svg.append(draw('text', { class: 'lane', x: LEFT - 8, y: y + 17, 'text-anchor': 'end' }, data.lanes[place]));
    svg.append(draw('line', { class: 'rule', x1: LEFT, x2: LEFT + WIDE, y1: y + LANE_HIGH - 2, y2: y + LANE_HIGH - 2 }));
    lane.forEach((number, bar) => {
      if (!number) return;
      const tall = 4 + ((LANE_HIGH - 8) * Math.log1p(number)) / Math.log1p(most);
      const rect = draw('rect', { class: 'bar', x: LEFT + wide * bar, y: y + LANE_HIGH - 2 - tall, width: Math.max(1, wide - 0.6), height: tall, 'data-lane': place, 'data-bar': bar });
      rect.append(draw('title', {}, `${number} × ${data.lanes[place]}, ${iso(from + ((to - from) * bar) / BARS)}`));
      svg.append(rect);
    });
  });
  const height = TOP + LANE_HIGH * data.lanes.length + 26;
  svg.setAttribute('viewBox', `0 0 ${across} ${height}`);
  const marks = WIDE < 480 ? 1 : WIDE < 720 ? 2 : 4;
  for (let mark = 0; mark <= marks; mark += 1) {
    const anchor = mark === marks ? 'end' : mark === 0 && marks > 1 ? 'start' : mark === 0 ? 'end' : 'middle';
    // Two times are broader than a narrow picture: the first one stands below the names of the lanes.
    const x = mark === 0 && marks === 1 ? LEFT : LEFT + (WIDE * mark) / marks;
    svg.append(draw('text', { class: 'mark', x, y: height - 6, 'text-anchor': anchor }, iso(from + ((to - from) / marks) * mark)));
  }
  drawPane();
  sayCaption(drawn);
  for (const [name, at] of [['from', from], ['to', to]]) {
    const input = document.querySelector(`#span [name=${name}]`);
    if (input && document.activeElement !== input) input.value = iso(at);
  }
};

// The strip above, which is as wide as the lanes, and in it the window.

const place = (at) => LEFT + (WIDE * (Math.min(Math.max(at, range[0]), range[1]) - range[0])) / Math.max(1, range[1] - range[0]);
const timeAt = (x) => range[0] + ((x - LEFT) / WIDE) * (range[1] - range[0]);

const drawPane = () => {
  const pane = document.querySelector('#overview .window');
  const [x, width] = [place(shownWindow[0]), Math.max(2, place(shownWindow[1]) - place(shownWindow[0]))];
  pane?.setAttribute('x', x);
  pane?.setAttribute('width', width);
};

const drawStrip = () => {
  const svg = document.querySelector('#overview svg');
  const { bars: [bars], earlier, later } = counted(range[0], range[1], 1, () => 0);
  const most = Math.max(1, ...bars);
  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${across} 40`);
  bars.forEach((number, bar) => {
    if (!number) return;
    const tall = 3 + (33 * Math.log1p(number)) / Math.log1p(most);
    svg.append(draw('rect', { class: 'bar', x: LEFT + (WIDE / BARS) * bar, y: 38 - tall, width: Math.max(1, WIDE / BARS - 0.6), height: tall }));
  });
  svg.append(draw('text', { x: LEFT - 8, y: 25, 'text-anchor': 'end' }, earlier + later ? 'most times' : 'all times'));
  svg.append(draw('rect', { class: 'window', x: 0, y: 1, width: 0, height: 38 }));
  drawPane();
};

const LEAST = 1000;
const FAR = 8.64e15;
const setWindow = (from, to) => {
  if (!(to - from >= LEAST)) to = from + LEAST;
  shownWindow = [Math.max(-FAR, Math.round(from)), Math.min(FAR, Math.round(to))];
  if (wanted.inside) filter(); else drawLine();
};
// The time in the middle of those that are shown: what is looked for is not in the gap between them.
const middle = () => {
  const [from, to] = shownWindow;
  const inside = data.times.at.filter((at) => at >= from && at <= to).sort((one, other) => one - other);
  return inside.length ? inside[inside.length >> 1] : (from + to) / 2;
};
const zoom = (factor, at = middle()) => {
  const [from, to] = shownWindow;
  setWindow(at - (at - from) * factor, at + (to - at) * factor);
};
const move = (part) => {
  const [from, to] = shownWindow;
  setWindow(from + (to - from) * part, to + (to - from) * part);
};
const reachOver = (strip, window) => {
  range = [...strip];
  drawStrip();
  setWindow(...window);
};
const showAll = () => reachOver(full, full);
const showFirst = () => reachOver(data.bulk, data.window);

const atPointer = (svg, event) => {
  const box = svg.getBoundingClientRect();
  return ((event.clientX - box.left) / box.width) * across;
};

const buildStrip = () => {
  const svg = draw('svg', { role: 'img', 'aria-label': 'Times of the run; drag to choose the time shown' });
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
  drawStrip();
};

// ISO 8601 in UTC, written out: browsers write their own pickers by the habits of their users.
const parseTime = (text) => {
  const [, day, time = '00:00:00'] = text.trim().match(/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?Z?$/) ?? [];
  return Date.parse(`${day}T${time}Z`);
};

const buildSpan = () => {
  const form = $('span');
  const button = (text, label, act) => {
    const button = make('button', { type: 'button', 'aria-label': label, title: label }, text);
    button.addEventListener('click', act);
    return button;
  };
  const input = (name, label, set) => {
    const input = make('input', { type: 'text', name, size: '21', autocomplete: 'off', spellcheck: 'false' });
    input.addEventListener('change', () => {
      const at = parseTime(input.value);
      input.setCustomValidity(Number.isNaN(at) ? 'A time in UTC, as 2025-09-16T17:15:27Z' : '');
      if (input.reportValidity()) set(at);
    });
    return make('label', {}, label, input);
  };
  form.append(
    input('from', 'From (UTC)', (at) => setWindow(at, Math.max(at + LEAST, shownWindow[1]))),
    input('to', 'To (UTC)', (at) => setWindow(Math.min(at - LEAST, shownWindow[0]), at)),
    button('←', 'Earlier', () => move(-0.5)),
    button('→', 'Later', () => move(0.5)),
    button('+', 'Zoom in', () => zoom(0.5)),
    button('−', 'Zoom out', () => zoom(2)),
    button('All times', 'Show all times', showAll),
    button('First window', 'Show the time shown first', showFirst),
    check('one', 'one source only'),
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  form.after(make('p', { class: 'note', id: 'keys' }, 'Drag over the strip to choose a time; drag the picture to move it; a click on a bar lists its facts. Keys while the picture has the focus: ← → move, + − zoom, A all times, F first window, Enter lists the facts of the time shown, Esc goes back.'));
};

// From the picture to the facts, and back to where the reader was.

const ways = [];
const listFacts = (what, window, values) => {
  ways.push({ window: shownWindow, wanted: { ...wanted } });
  shownWindow = window.map(Math.round);
  want({ ...values, inside: true }).then(() => $('facts').scrollIntoView());
  tell(`Listed are the facts of ${what}.`, 'Back to the timeline (Esc)', back);
};
const back = () => {
  const way = ways.pop();
  if (!way) return;
  shownWindow = way.window;
  want(way.wanted);
  tell('');
  $('timeline').scrollIntoView();
  $('line').focus({ preventScroll: true });
};
const showBar = (bar, lane) => {
  const [from, to] = shownWindow;
  const step = (to - from) / BARS;
  listFacts('one bar', [from + step * bar, Math.max(from + step * (bar + 1), from + step * bar + LEAST)], { lane: String(lane) });
};

const buildLine = () => {
  const svg = $('line');
  if (!svg) return;
  measure();
  buildStrip();
  buildSpan();
  for (const [name, value] of [['tabindex', '0'], ['role', 'application'], ['aria-describedby', 'caption keys']]) svg.setAttribute(name, value);
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
  const does = {
    ArrowLeft: () => move(-0.2),
    ArrowRight: () => move(0.2),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    a: showAll,
    f: showFirst,
    Enter: () => listFacts('the time shown', shownWindow, {}),
  };
  svg.addEventListener('keydown', (event) => {
    const act = !event.ctrlKey && !event.metaKey && !event.altKey && (does[event.key] ?? does[event.key.toLowerCase()]);
    if (act) { event.preventDefault(); act(); }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && ways.length && !isTyping(event)) back();
  });
  window.addEventListener('resize', () => {
    const before = across;
    measure();
    if (across !== before) { drawStrip(); drawLine(); }
  });
  drawLine();
};
