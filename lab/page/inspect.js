// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What is wrong with a page as it is laid out now; each function returns sentences.

function named(element) {
  const within = element.closest("[id]");
  const words = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
  return `${element.localName} in #${within ? within.id : "?"} "${words}"`;
}

function shown(element) {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible";
}

function unfold() {
  for (const part of document.querySelectorAll("details")) part.open = true;
}

// Sideways scrolling belongs to boxes that are made for it, which only screens have.
function overflow(boxes) {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width)
    found.push(`the page is ${document.documentElement.scrollWidth} px wide, not ${width}`);
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.closest(".scroll");
    if ((boxes && box && box !== element) || !shown(element)) continue;
    const right = element.getBoundingClientRect().right;
    if (right > width + 0.5 && right - element.getBoundingClientRect().width < width)
      found.push(`${named(element)} ends at ${Math.round(right)} px of ${width}`);
  }
  for (const box of document.querySelectorAll(".scroll"))
    if (boxes && !["auto", "scroll"].includes(getComputedStyle(box).overflowX))
      found.push(`${named(box)} does not scroll`);
  return found;
}

function channels(colour) {
  return colour.match(/[\d.]+/g).map(Number);
}

function luminance(colour) {
  const [r, g, b] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ground(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    const [, , , alpha] = channels(colour);
    if (alpha === undefined || alpha > 0.99) return colour;
  }
  return "rgb(255, 255, 255)";
}

function texts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode())
    if (walker.currentNode.data.trim()) found.add(walker.currentNode.parentElement);
  return [...found].filter(shown);
}

function contrast(least) {
  const found = [];
  for (const element of texts()) {
    const [ink, paper] = [luminance(getComputedStyle(element).color), luminance(ground(element))];
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < least) found.push(`${named(element)}: contrast ${ratio.toFixed(2)}`);
  }
  return found;
}

function letters(least) {
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  return texts()
    .filter((element) => size(element) < least)
    .map((element) => `${named(element)}: ${size(element)} px`);
}

function pictures(dark) {
  const found = [];
  for (const image of document.images) {
    if (!image.complete || !image.naturalWidth) found.push(`${image.src} is not there`);
    else if (image.currentSrc.endsWith("-dark.png") !== dark)
      found.push(`${image.currentSrc} is shown on a ${dark ? "dark" : "light"} page`);
  }
  return found;
}

function unprinted() {
  return [...document.querySelectorAll("a[href^=http]")]
    .filter((a) => !getComputedStyle(a, "::after").content.includes(a.getAttribute("href")))
    .map((a) => `${a.href} is not printed`);
}
