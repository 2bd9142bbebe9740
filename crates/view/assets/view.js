// What a page does beyond showing itself: a log that grows, and keys. Text is set as text, never as markup.
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
