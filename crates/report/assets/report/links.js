// Links to what is folded, packed or filtered away.

const reveal = async (id) => {
  const number = numberOf(id.replace(/^proof-/, ''));
  const isFact = number >= 0;
  if (isFact) {
    const element = await fact(number);
    if (!mask[number]) {
      const before = { ...wanted };
      await want(NOTHING);
      tell('The filters hid this fact and were cleared.', 'Filter again', () => { tell(''); want(before); });
    }
    if (!element.isConnected) list.prepend(element);
    element.querySelector('details').open = true;
  }
  const target = $(id);
  if (!target) return;
  for (let up = target.parentElement; up; up = up.parentElement) {
    if (up.tagName === 'DETAILS') up.open = true;
  }
  if (target.tagName === 'DETAILS') target.open = true;
  const onlyOne = $('only-one');
  if (onlyOne?.checked && target.matches('#findings li:not(.one)')) {
    onlyOne.checked = false;
    tell('“One source only” hid this finding and was cleared.', 'Set it again', () => { tell(''); onlyOne.checked = true; });
  }
  (isFact ? target.closest('article') : target).scrollIntoView({ block: 'start' });
  if (isFact) {
    target.focus({ preventScroll: true });
    // A fact with many values is taller than the window: the bytes come into view all the same.
    const mark = target.querySelector('pre.record mark');
    if (mark?.getBoundingClientRect().bottom > innerHeight) mark.scrollIntoView({ block: 'center' });
  }
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

// On paper the list is an appendix: the proofs of the facts that are cited, whatever is filtered.

let beforePrint = null;
window.addEventListener('beforeprint', () => {
  beforePrint ??= { facts: [...list.children], folded: [] };
  const cited = Array.from({ length: data.cited }, (_, number) => elements.get(number)).filter(Boolean);
  beforePrint.folded = cited.map((element) => element.querySelector('details')).filter((it) => !it.open);
  beforePrint.folded.forEach((it) => { it.open = true; });
  list.replaceChildren(...cited);
});
window.addEventListener('afterprint', () => {
  if (!beforePrint) return;
  beforePrint.folded.forEach((it) => { it.open = false; });
  list.replaceChildren(...beforePrint.facts);
  beforePrint = null;
});

buildFilter();
buildLine();
buildNet();
showMore(true).then(() => { if (location.hash) reveal(location.hash.slice(1)); });
document.documentElement.dataset.ready = 'yes';
