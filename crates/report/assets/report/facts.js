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

// Facts by their numbers. All that they are found by stands in one text, a line a fact, and in columns.

const { text, columns } = data;
const total = columns.agent.length;
const starts = new Uint32Array(total);
for (let number = 0, at = -1; number < total; number += 1) {
  at = text.indexOf('\n', at + 1);
  starts[number] = at;
}
// -1 for what is no fact.
const numberOf = (id) => starts.indexOf(text.indexOf(`\n${id} `));

// Their elements: of some that stand in the page, of the others that are packed. A piece is unpacked as text, and of that one fact at a time becomes an element.
const list = $('list');
const elements = new Map([...list.children].map((element, number) => [number, element]));
const pieces = [...document.querySelectorAll('script.packed')];
const unpacked = new Map();

const unpack = async (piece) => {
  const bytes = Uint8Array.from(atob(pieces[piece].textContent), (c) => c.charCodeAt(0));
  const drawn = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  // Text of the evidence is escaped: none of it can look like the beginning of a fact.
  return drawn.split(/(?=<article )/);
};

const fact = async (number) => {
  if (!elements.has(number)) {
    const piece = Math.floor((number - data.plain) / data.packed);
    if (!unpacked.has(piece)) unpacked.set(piece, unpack(piece));
    const drawn = (await unpacked.get(piece))[(number - data.plain) % data.packed];
    const template = document.createElement('template');
    template.innerHTML = trusted.createHTML(drawn);
    if (!elements.has(number)) elements.set(number, template.content.firstElementChild);
  }
  return elements.get(number);
};
