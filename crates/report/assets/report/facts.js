// Works on what stands in the page: nothing is fetched. Text of the evidence is put in as text;
// the only markup that is put in is what the page itself holds packed, escaped when it was written.
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

const isTyping = (event) => /^(input|select|textarea)$/i.test(event.target.tagName);

// What the page did that nobody sees where they look, and how to undo it.
const tell = (text, label, act) => {
  const button = (label, act) => {
    const button = make('button', { type: 'button' }, label);
    button.addEventListener('click', act);
    return button;
  };
  $('notice').replaceChildren(...(text ? [make('span', {}, text), button(label, act), button('Close', () => tell(''))] : []));
};

// Facts: those that stand in the page, and those that are packed, by their numbers.

const [ID, TITLE, AGENT, EVIDENCE, KIND, LANE, PATH, ONE, HEALED, WRITER] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
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
