"""Checks of a page that run in the browser, where styles and sizes are known."""

from __future__ import annotations

__all__ = ["CONTRAST", "CUT_OFF", "INTERACTIVE", "MARKLESS", "TABBED"]

MARKLESS = """() => [...document.querySelectorAll('.drawing svg')].filter((svg) => {
  const drawn = [...svg.querySelectorAll('.mark')].filter((mark) => {
    const box = mark.getBBox();
    return box.width > 0 || box.height > 0;
  });
  return drawn.length === 0;
}).map((svg) => svg.querySelector('title').textContent)"""
"""The titles of charts without a mark that can be seen; what is folded is opened before."""

CONTRAST = """() => {
  // Colours as the browser has worked them out; blended, where they are not solid.
  const parsed = (text) => {
    const parts = text.match(/-?[\\d.]+(?:e-?\\d+)?/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...parts.slice(0, 3).map((x) => x * scale), parts[3] ?? 1];
  };
  const over = (top, below, alpha) =>
    top.slice(0, 3).map((x, i) => alpha * x + (1 - alpha) * below[i]);
  const light = (colour) => {
    const [r, g, b] = colour.map((x) => x / 255)
      .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parsed(getComputedStyle(one).backgroundColor);
      if (colour[3] === 1) return colour.slice(0, 3);
      if (colour[3] !== 0) return over(colour, behind(one.parentElement), colour[3]);
    }
    return [255, 255, 255];
  };
  const seen = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const poor = [];
  let texts = 0, marks = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || element.closest('svg, script, style')) continue;
    if (!seen(element)) continue;
    texts += 1;
    const found = ratio(parsed(getComputedStyle(element).color).slice(0, 3), behind(element));
    if (found < 4.5) poor.push(`text ${found.toFixed(2)}: ${walk.currentNode.textContent.trim()}`);
  }
  for (const shape of document.querySelectorAll('.swatch path[fill]')) {
    if (!seen(shape.closest('svg'))) continue;
    marks += 1;
    const found = ratio(parsed(getComputedStyle(shape).fill).slice(0, 3), behind(shape));
    if (found < 3) poor.push(`mark ${found.toFixed(2)}: ${shape.closest('li').textContent}`);
  }
  for (const svg of document.querySelectorAll('.drawing svg')) {
    if (!seen(svg)) continue;
    const paper = behind(svg.parentElement);
    let darkest = paper;  // of what may lie behind a text: cells that are not solid
    for (const shape of svg.querySelectorAll('.mark path, .mark use')) {
      if (shape.closest('defs')) continue;  // what is used, not where it is
      const style = getComputedStyle(shape);
      const solid = Number(style.opacity) * Number(style.fillOpacity);
      const [name, paint] = style.fill !== 'none' ? ['fill', style.fill] : ['stroke', style.stroke];
      if (paint === 'none' || paint.startsWith('url')) continue;
      marks += 1;
      const colour = over(parsed(paint), paper, name === 'fill' ? solid : 1);
      if (name === 'fill' && solid < 1) {
        if (ratio(colour, paper) > ratio(darkest, paper)) darkest = colour;
      } else if (ratio(colour, paper) < 3) {
        const title = svg.querySelector('title').textContent;
        poor.push(`mark ${ratio(colour, paper).toFixed(2)}: ${title}`);
      }
    }
    for (const text of svg.querySelectorAll('text')) {
      texts += 1;
      const ink = parsed(getComputedStyle(text).fill).slice(0, 3);
      const found = Math.min(ratio(ink, paper), ratio(ink, darkest));
      if (found < 4.5) poor.push(`text ${found.toFixed(2)}: ${text.textContent}`);
    }
  }
  return {poor, texts, marks};
}"""
"""Texts with a contrast under 4.5, marks under 3, and how many of both there are."""

CUT_OFF = """() => [...document.querySelectorAll('body *')].filter((one) => {
  if (one.closest('svg') && one.tagName !== 'svg') return false;
  const box = one.getBoundingClientRect();
  return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && one.checkVisibility();
}).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`)"""
"""What is wider than the page."""

INTERACTIVE = """() => [...document.querySelectorAll('a[href], button, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility() && one.getClientRects().length > 0).length"""
"""How many elements can be used with a mouse."""

TABBED = """() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  window.tabbed ??= new Map();
  if (!window.tabbed.has(one)) window.tabbed.set(one, window.tabbed.size);
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  return {
    which: window.tabbed.get(one),
    what: `${one.tagName} ${one.textContent.trim().slice(0, 40)}`,
    outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    inside: box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  };
}"""
"""Where the focus is, and whether one can see that."""
