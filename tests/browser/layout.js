// Complaints about the page as it is shown: what sticks out of the page, words cut by a picture's edge, words on other words.
(() => {
  const complaints = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) complaints.push(`the page is ${page.scrollWidth} wide, the window ${page.clientWidth}`);
  const shown = element => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden';
  const name = element => `${element.tagName} "${element.textContent.trim().slice(0, 60)}"`;
  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  for (const svg of document.querySelectorAll('svg.plot')) {
    if (!shown(svg)) continue;
    const frame = svg.getBoundingClientRect();
    const words = [...svg.querySelectorAll('text')];
    const size = parseFloat(getComputedStyle(words[0]).fontSize) * frame.width / svg.viewBox.baseVal.width;
    if (size < 10) complaints.push(`words of ${size.toFixed(1)} pixels in ${svg.getAttribute('aria-label').slice(0, 40)}`);
    words.forEach((word, at) => {
      const box = word.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        complaints.push(`cut: ${name(word)} in ${svg.getAttribute('aria-label').slice(0, 40)}`);
      for (const other of words.slice(at + 1))
        if (!apart(box, other.getBoundingClientRect())) complaints.push(`${name(word)} lies on ${name(other)}`);
    });
  }
  const blocks = [...document.querySelectorAll('h1, h2, p, li, caption, th, td, figcaption, pre, footer')].filter(shown);
  for (const block of blocks) {
    const scroll = block.closest('.scroll');
    const frame = scroll ? null : page.getBoundingClientRect();
    const box = block.getBoundingClientRect();
    if (frame && (box.left < -1 || box.right > page.clientWidth + 1)) complaints.push(`sticks out: ${name(block)}`);
    if (block.scrollWidth > block.clientWidth + 1 && getComputedStyle(block).display !== 'inline') complaints.push(`cut: ${name(block)}`);
  }
  for (const row of document.querySelectorAll('tr')) {
    if (!shown(row)) continue;
    const cells = [...row.children].map(cell => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return [cell, range.getBoundingClientRect()];
    });
    cells.forEach(([cell, box], at) => {
      for (const [other, next] of cells.slice(at + 1))
        if (box.width && next.width && !apart(box, next)) complaints.push(`${name(cell)} lies on ${name(other)}`);
    });
  }
  return complaints.slice(0, 20);
})()
