// What a page does beyond showing itself: a log that grows, a picture that is walked by keys, and keys. Text is set as text, never as markup.
"use strict";

// The log of a run that is being recorded: asks for what came since, again and again.
const log = document.getElementById("log");
const state = document.getElementById("state");
const PATIENCE = 1000;

function show(line) {
  const item = document.createElement("li");
  item.className = line.kind;
  const part = (name, text, type) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (type) element.className = type;
    item.append(element, " ");
    return element;
  };
  part("time", line.at);
  part("span", line.who, "who");
  part("span", line.kind, "kind");
  const text = part(line.link ? "a" : "span", line.text, line.link ? "item" : "");
  // An address of this application; anything else is left out.
  if (line.link && line.link.startsWith("/run/")) text.href = line.link;
  log.append(item);
}

async function follow() {
  let wait = PATIENCE;
  try {
    const answer = await fetch(`${log.dataset.news}?from=${log.dataset.next}`);
    if (!answer.ok) throw new Error(answer.status);
    const news = await answer.json();
    // Whoever reads further up is not moved.
    const atEnd = innerHeight + scrollY >= document.body.scrollHeight - 80;
    news.lines.forEach(show);
    log.dataset.next = news.next;
    if (atEnd && news.lines.length) scrollTo(0, document.body.scrollHeight);
    if (news.sealed) {
      state.textContent = "The run is sealed: nothing will be added.";
      return;
    }
    state.textContent = "The run is not sealed. This page shows new events as they are added.";
    if (news.more) wait = 0;
  } catch (error) {
    state.textContent = "No answer: locard view may have stopped. This page will try again.";
    wait = 5 * PATIENCE;
  }
  setTimeout(follow, wait);
}

if (log && log.dataset.news) follow();

// A picture: its nodes are links to the picture that they open. Arrow keys walk them; what is opened keeps its place on the screen and the focus.
const picture = document.getElementById("picture");

// The drawing that the width of the page shows.
function nodes() {
  return [...picture.querySelectorAll("svg.picture a.node")].filter((node) => node.getBoundingClientRect().width > 0);
}

function remember(node) {
  const it = { node: node.dataset.node, of: new URLSearchParams(location.search).get("of"), top: node.getBoundingClientRect().top };
  sessionStorage.setItem("picture", JSON.stringify(it));
}

function restore() {
  const kept = JSON.parse(sessionStorage.getItem("picture") || "null");
  sessionStorage.removeItem("picture");
  if (!kept || kept.of !== new URLSearchParams(location.search).get("of")) return;
  const at = (key) => nodes().find((node) => node.dataset.node === key);
  // The row of further members is gone, or names fewer of them: its group is where one was.
  const node = at(kept.node) || at(kept.node.replace(/\.more$/, ""));
  if (!node) return;
  node.focus({ preventScroll: true });
  scrollBy(0, node.getBoundingClientRect().top - kept.top);
  node.scrollIntoView({ block: "nearest" });
}

function walk(node, key) {
  const all = nodes();
  const at = all.indexOf(node);
  const open = node.getAttribute("aria-expanded");
  const turn = () => {
    remember(node);
    location.assign(node.getAttribute("href"));
  };
  // A member's key begins with that of its group, and a group's with the id of its entity.
  const above = () => {
    const own = node.dataset.node;
    const parent = (it) => own.startsWith(`${it.dataset.node}.`) || it.dataset.node.endsWith(`.${own.split(".")[0]}`) || it.dataset.node === own.split(".")[0];
    return all.slice(0, at).reverse().find(parent) || all[0];
  };
  const does = {
    ArrowDown: () => all[at + 1]?.focus(),
    ArrowUp: () => all[at - 1]?.focus(),
    ArrowRight: () => (open === "false" ? turn() : all[at + 1]?.focus()),
    ArrowLeft: () => (open === "true" ? turn() : above().focus()),
    Home: () => all[0].focus(),
    End: () => all[all.length - 1].focus(),
  };
  return Object.hasOwn(does, key) && does[key];
}

if (picture) {
  restore();
  picture.addEventListener("click", (event) => {
    const node = event.target.closest("a.node");
    if (node) remember(node);
  });
  picture.addEventListener("keydown", (event) => {
    const node = event.target.closest("a.node");
    const does = node && !event.ctrlKey && !event.altKey && !event.metaKey && walk(node, event.key);
    if (does) {
      event.preventDefault();
      does();
    }
  });
}

// Keys, unless they are switched off; never while something is typed.
const keys = document.getElementById("keys");
const switched = document.getElementById("keys-on");
if (keys && switched) {
  keys.hidden = false;
  switched.checked = localStorage.getItem("keys") !== "off";
  switched.addEventListener("change", () => localStorage.setItem("keys", switched.checked ? "on" : "off"));
}

function step(by) {
  const items = [...document.querySelectorAll("a.item")];
  const at = items.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by;
  if (items[next]) items[next].focus();
}

const DOES = {
  "/": () => document.getElementById("q").focus(),
  n: () => document.querySelector("a[rel=next]")?.click(),
  p: () => document.querySelector("a[rel=prev]")?.click(),
  j: () => step(1),
  k: () => step(-1),
};

document.addEventListener("keydown", (event) => {
  const typed = event.target.closest("input, select, textarea");
  if (!switched || !switched.checked || typed || event.ctrlKey || event.altKey || event.metaKey) return;
  const does = Object.hasOwn(DOES, event.key) && DOES[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});
