"use strict";
{
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const list = one(".entries");
  const query = one(".query");
  const boxes = all("fieldset input");
  const bars = all(".bars button");
  const count = one(".count");
  const order = one(".order");
  const nothing = one(".empty");
  const FACETS = [...new Set(boxes.map((box) => box.name))];

  // Letters without case or accents; "ﬁ" and full-width forms are what they look like.
  const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();

  // All that a choice needs is read from the page once, so that choosing reads no layout.
  const entries = all("article").map((element) => ({
    element,
    title: one("h2 a", element),
    data: { ...element.dataset },
    text: "",
    shown: true,
  }));
  const byElement = new Map(entries.map((entry) => [entry.element, entry]));
  let sorted = entries;
  let words = [];
  let period = "";

  function textOf(entry) {
    return (entry.text ||= fold(entry.element.textContent.replace(/\s+/g, " ")));
  }

  // Choosing ------------------------------------------------------------------------------------

  function chosen() {
    const found = new Map(FACETS.map((facet) => [facet, new Set()]));
    for (const box of boxes) if (box.checked) found.get(box.name).add(box.value);
    return found;
  }

  // The number beside a value tells what it would show together with the other filters.
  function choose() {
    words = fold(query.value).split(/\s+/).filter(Boolean);
    const wanted = chosen();
    const counts = new Map();
    let shown = 0;
    for (const entry of entries) {
      const inTime = !period || entry.data.period === period;
      const fits = inTime && words.every((word) => textOf(entry).includes(word));
      const misses = fits ? FACETS.filter((facet) => wanted.get(facet).size && !wanted.get(facet).has(entry.data[facet])) : [];
      if (fits) {
        for (const facet of FACETS) {
          if (misses.length === 0 || (misses.length === 1 && misses[0] === facet)) {
            const key = `${facet}=${entry.data[facet]}`;
            counts.set(key, (counts.get(key) ?? 0) + 1);
          }
        }
      }
      const show = fits && misses.length === 0;
      shown += show;
      if (show !== entry.shown) entry.element.hidden = !(entry.shown = show);
    }
    for (const box of boxes) {
      const would = counts.get(`${box.name}=${box.value}`) ?? 0;
      one(".n", box.parentElement).textContent = would;
      box.parentElement.classList.toggle("void", would === 0 && !box.checked);
    }
    for (const bar of bars) bar.setAttribute("aria-pressed", String(bar.dataset.period === period));
    root.classList.toggle("filtered-by-time", period !== "");
    const narrowed = words.length > 0 || period !== "" || boxes.some((box) => box.checked);
    const when = period && `, ${bars[period].title.replace(/:.*/, "")}`;
    count.textContent = (narrowed ? `${shown} of ${entries.length}` : `${entries.length} in all`) + when;
    for (const button of all(".bar .clear")) button.hidden = !narrowed;
    if (entries.length) nothing.hidden = shown > 0;
    later(mark);
    remember(wanted);
  }

  function clear() {
    query.value = "";
    period = "";
    for (const box of boxes) box.checked = false;
    choose();
  }

  function sort() {
    const ways = {
      score: (a, b) => b.data.score - a.data.score,
      day: (a, b) => (a.data.day < b.data.day ? 1 : a.data.day > b.data.day ? -1 : 0),
      number: (a, b) => a.data.number - b.data.number,
    };
    sorted = [...entries].sort(ways[order.value]);
    const place = document.createComment("");
    list.replaceWith(place); // what is not on the page is moved without a layout each
    list.append(...sorted.map((entry) => entry.element));
    place.replaceWith(list);
  }

  // What is done after the answer is on the screen; a newer wish takes the place of one that waits.
  const waiting = new Map();
  function later(work) {
    clearTimeout(waiting.get(work));
    waiting.set(work, setTimeout(work, 60));
  }

  // Found words are marked without a change of the page, in as many entries as somebody may look at.
  function mark() {
    if (!CSS.highlights) return;
    CSS.highlights.delete("found");
    if (words.length === 0) return;
    const ranges = [];
    for (const { element } of sorted.filter((entry) => entry.shown).slice(0, 100)) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        const text = node.data.toLowerCase();
        if (text.length !== node.length) continue;
        for (const word of words) {
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            ranges.push(new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length }));
          }
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  // Opening and closing -------------------------------------------------------------------------

  function open(entry, wish = true) {
    entry.element.classList.toggle("open", wish);
    entry.title.setAttribute("aria-expanded", String(wish));
  }

  const isOpen = (entry) => entry.element.classList.contains("open");

  // The address: an entry's id, or what is searched and chosen, so that both can be passed on.
  function remember(wanted) {
    const parts = new URLSearchParams();
    if (query.value.trim()) parts.set("q", query.value.trim());
    for (const [facet, values] of wanted) for (const value of values) parts.append(facet, value);
    if (period) parts.set("period", period);
    const address = parts.size ? `#${parts}` : location.hash.includes("=") ? "#" : "";
    if (address && address !== location.hash) history.replaceState(null, "", address);
  }

  function follow() {
    const hash = location.hash.slice(1);
    const entry = byElement.get(document.getElementById(hash));
    if (entry) {
      if (!entry.shown) clear();
      open(entry);
      entry.element.scrollIntoView();
    } else if (hash.includes("=")) {
      const parts = new URLSearchParams(hash);
      query.value = parts.get("q") ?? "";
      period = bars[parts.get("period")]?.dataset.period ?? "";
      for (const box of boxes) box.checked = parts.getAll(box.name).includes(box.value);
      choose();
    }
  }

  // Hands ---------------------------------------------------------------------------------------

  list.addEventListener("click", (event) => {
    const entry = byElement.get(event.target.closest("article"));
    if (!entry || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    const link = event.target.closest("a");
    if (link === entry.title) {
      event.preventDefault();
      open(entry, !isOpen(entry));
      if (isOpen(entry)) history.replaceState(null, "", `#${entry.element.id}`);
    } else if (!link && !isOpen(entry) && getSelection().isCollapsed) {
      open(entry);
    }
  });

  // What is cut off can still be reached with the tabulator; then it is shown.
  list.addEventListener("focusin", (event) => {
    const entry = byElement.get(event.target.closest("article"));
    if (entry && event.target !== entry.title) open(entry);
  });

  function step(by) {
    const shown = sorted.filter((entry) => entry.shown);
    const here = shown.indexOf(byElement.get(document.activeElement?.closest("article")));
    const next = shown[here < 0 ? 0 : Math.min(Math.max(here + by, 0), shown.length - 1)];
    if (!next) return;
    next.title.focus({ preventScroll: true, focusVisible: true });
    next.element.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  function leave() {
    const entry = byElement.get(document.activeElement?.closest("article"));
    if (document.activeElement === query && !query.value) query.blur();
    else if (entry && isOpen(entry)) open(entry, false);
    else clear();
  }

  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches("input[type=search], select");
    if (event.key === "Escape") leave();
    else if (typing && event.target === query && (event.key === "ArrowDown" || event.key === "Enter")) step(1);
    else if (typing) return;
    else if (event.key === "/") query.focus(), query.select();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else return;
    event.preventDefault();
  });

  query.addEventListener("input", choose);
  for (const box of boxes) box.addEventListener("change", choose);
  for (const button of all(".clear")) button.addEventListener("click", () => (clear(), query.focus()));
  for (const bar of bars) {
    bar.addEventListener("click", () => {
      period = period === bar.dataset.period ? "" : bar.dataset.period;
      choose();
    });
  }
  order.addEventListener("change", sort);
  addEventListener("hashchange", follow);

  // Start ---------------------------------------------------------------------------------------

  root.classList.add("scripted");
  for (const element of all("[data-scripted]")) element.hidden = false;
  for (const entry of entries) entry.title.setAttribute("aria-expanded", "false");

  const wide = matchMedia("(min-width: 56.01rem)");
  const unfold = () => (one(".filters").open = wide.matches);
  wide.addEventListener("change", unfold);
  unfold();

  // Whether a lesson is cut off can be told once it is on the screen.
  const seen = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      target.classList.toggle("long", target.scrollHeight > target.clientHeight + 1);
    }
  });
  for (const lesson of all(".lesson")) seen.observe(lesson);

  const address = location.hash;
  choose();
  history.replaceState(null, "", address || location.pathname);
  follow();
}
