// Filters: which facts the list and the timeline show.

const NOTHING = { text: '', agent: '', evidence: '', lane: '', kind: '', writer: '', thing: '', technique: '', one: false, healed: false, inside: false };
const wanted = { ...NOTHING };
let shownWindow = [...data.window];

// Which facts match: 1 by their number.
let mask = new Uint8Array(total).fill(1);
let matching = Array.from({ length: total }, (_, number) => number);

const withWord = (word) => {
  const found = [];
  let number = 0;
  for (let at = text.indexOf(word); at >= 0;) {
    while (number + 1 < total && starts[number + 1] <= at) number += 1;
    found.push(number);
    at = number + 1 < total ? text.indexOf(word, starts[number + 1]) : -1;
  }
  return found;
};
const withTime = (from, to) => {
  const { at, fact } = data.times;
  return fact.filter((_, place) => at[place] >= from && at[place] <= to);
};
const keep = (numbers) => {
  const kept = new Uint8Array(total);
  for (const number of numbers) kept[number] = mask[number];
  mask = kept;
};
const keepEqual = (column, value) => {
  for (let number = 0; number < total; number += 1) if (column[number] !== value) mask[number] = 0;
};

const match = () => {
  mask = new Uint8Array(total).fill(1);
  for (const name of ['agent', 'evidence', 'lane', 'kind', 'writer']) if (wanted[name] !== '') keepEqual(columns[name], +wanted[name]);
  for (const name of ['one', 'healed']) if (wanted[name]) keepEqual(columns[name], 1);
  for (const [of, value] of [[data.things, wanted.thing], [data.techniques, wanted.technique]]) if (value !== '') keep(of[+value][1]);
  if (wanted.inside) keep(withTime(...shownWindow));
  wanted.text.toLowerCase().split(/\s+/).filter(Boolean).forEach((word) => keep(withWord(word)));
  matching = [];
  for (let number = 0; number < total; number += 1) if (mask[number]) matching.push(number);
};

// A page is drawn in two steps: what fills the screen, and the rest when that is seen.
const [SCREEN, PAGE] = [10, 100];
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
    $('matching').textContent = matching.length === total ? `${total} facts` : `${matching.length} of ${total} facts match`;
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
  match();
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

const count = (column) => column.reduce((sum, it) => sum + it, 0);

const buildFilter = () => {
  const form = $('filter');
  const words = make('input', { type: 'search', name: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'words, or part of one' });
  words.addEventListener('input', () => want({ text: words.value }));
  controls.text.push(words);
  form.append(
    make('label', {}, 'Search (press /)', words),
    select('agent', 'Agent', data.agents),
    select('evidence', 'Evidence', data.evidence),
    select('lane', 'Kind of source', data.lanes),
    select('kind', 'Record type', data.kinds),
    select('writer', 'Writable by', data.writers),
    ...(data.things.length ? [select('thing', 'Entity', data.things.map((thing) => thing[0]))] : []),
    ...(data.techniques.length ? [select('technique', 'ATT&CK technique', data.techniques.map((it) => it[0]))] : []),
    check('one', `one source only (${count(columns.one)})`),
    check('healed', `citation healed (${count(columns.healed)})`),
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
      words.focus();
      words.scrollIntoView({ block: 'center' });
    }
  });
};
