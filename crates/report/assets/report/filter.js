// Filters: which facts the list and the timeline show.

const timesOf = facts.map(() => []);
for (const [at, number] of data.times) timesOf[number].push(at);
const texts = facts.map((fact) => `${fact[TITLE]} ${fact[PATH]} ${fact[ID]}`.toLowerCase());
const NOTHING = { text: '', agent: '', evidence: '', lane: '', kind: '', writer: '', thing: '', technique: '', one: false, healed: false, inside: false };
const wanted = { ...NOTHING };
let shownWindow = [...data.window];

const fits = (number, words, sets) => {
  const it = facts[number];
  if (wanted.agent !== '' && it[AGENT] !== +wanted.agent) return false;
  if (wanted.evidence !== '' && it[EVIDENCE] !== +wanted.evidence) return false;
  if (wanted.lane !== '' && it[LANE] !== +wanted.lane) return false;
  if (wanted.kind !== '' && it[KIND] !== +wanted.kind) return false;
  if (wanted.writer !== '' && it[WRITER] !== +wanted.writer) return false;
  if (wanted.one && !it[ONE]) return false;
  if (wanted.healed && !it[HEALED]) return false;
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

// What is wanted, and every control that shows it: a filter can stand at more than one place.
const controls = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, []]));
const want = (values) => {
  Object.assign(wanted, values);
  for (const [name, value] of Object.entries(values)) {
    for (const control of controls[name]) {
      if (control.type === 'checkbox') control.checked = value;
      else if (control.value !== value) control.value = value;
    }
  }
  return filter();
};
const isFiltered = () => Object.keys(NOTHING).some((name) => wanted[name] !== NOTHING[name]);

const select = (name, label, names) => {
  const select = make('select', { name }, make('option', { value: '' }, 'all'));
  names.forEach((text, value) => select.append(make('option', { value }, text)));
  select.addEventListener('change', () => want({ [name]: select.value }));
  controls[name].push(select);
  return make('label', {}, label, select);
};

const check = (name, label) => {
  const box = make('input', { type: 'checkbox', name, autocomplete: 'off' });
  box.addEventListener('change', () => want({ [name]: box.checked }));
  controls[name].push(box);
  return make('label', { class: 'check' }, box, label);
};

const count = (place) => facts.reduce((sum, it) => sum + it[place], 0);

const buildFilter = () => {
  const form = $('filter');
  const text = make('input', { type: 'search', name: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'words, or part of one' });
  text.addEventListener('input', () => want({ text: text.value }));
  controls.text.push(text);
  form.append(
    make('label', {}, 'Search (press /)', text),
    select('agent', 'Agent', data.agents),
    select('evidence', 'Evidence', data.evidence),
    select('lane', 'Kind of source', data.lanes),
    select('kind', 'Record type', data.kinds),
    select('writer', 'Writable by', data.writers),
    ...(data.things.length ? [select('thing', 'Entity', data.things.map((thing) => thing[0]))] : []),
    ...(data.techniques.length ? [select('technique', 'ATT&CK technique', data.techniques.map((it) => it[0]))] : []),
    check('one', `one source only (${count(ONE)})`),
    check('healed', `citation healed (${count(HEALED)})`),
    check('inside', 'only in the time shown'),
    make('button', { type: 'reset' }, 'Clear'),
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', (event) => { event.preventDefault(); want(NOTHING); });
  form.hidden = false;
  $('more').addEventListener('click', () => showMore(false));
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !isTyping(event) && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      text.focus();
      text.scrollIntoView({ block: 'center' });
    }
  });
};
