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
