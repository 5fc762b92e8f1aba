// Shows one moment of each violation at a time. Pictures and texts are ready in the page.
(() => {
  'use strict';
  document.documentElement.classList.add('js');
  const sections = [...document.querySelectorAll('section.violation')];
  let current = sections[0];

  for (const section of sections) {
    const data = JSON.parse(section.querySelector('script.data').textContent);
    const find = (selector) => section.querySelector(selector);
    const stepper = find('.stepper');
    const slider = find('input[type=range]');
    const svg = stepper.querySelector('.canvas svg');
    const last = data.steps.length - 1;
    let shown = -1;

    section.show = (wanted) => {
      const number = Math.max(0, Math.min(last, wanted));
      if (number === shown) return;
      shown = number;
      const step = data.steps[number];
      slider.value = number;
      slider.setAttribute('aria-valuetext', number === 0 ? 'start' : `step ${number} of ${last}`);
      find('.count').textContent = number === 0 ? 'start' : `${number} / ${last}`;
      find('.caption').innerHTML = step.caption;
      svg.innerHTML = step.picture.map((fragment) => data.fragments[fragment]).join('');
      svg.setAttribute('aria-label', step.words);
      reveal(svg.querySelector('.edge.changed, .mark, .born, .witness, .tag.local'));
      stepper.querySelector('.locals').innerHTML = step.locals;
      mark(step.row);
      for (const row of section.querySelectorAll('tr[data-step]')) {
        row.classList.toggle('now', Number(row.dataset.step) === number);
      }
      for (const button of section.querySelectorAll('button[data-go]')) {
        const back = button.dataset.go === 'first' || button.dataset.go === 'back';
        button.setAttribute('aria-disabled', back ? number === 0 : number === last);
      }
    };
    section.go = (where) =>
      section.show({ first: 0, back: shown - 1, on: shown + 1, last }[where]);

    const mark = (row) => {
      for (const line of section.querySelectorAll('li.line')) {
        const now = line.dataset.row === row;
        line.classList.toggle('now', now);
        if (now) line.setAttribute('aria-current', 'step');
        else line.removeAttribute('aria-current');
        if (now) bringIntoView(line);
      }
    };
    // Scrolls the list of lines, never the page.
    const bringIntoView = (line) => {
      const pane = line.closest('.code');
      const top = line.getBoundingClientRect().top - pane.getBoundingClientRect().top;
      const room = pane.clientHeight - 2 * line.offsetHeight;
      if (top < line.offsetHeight || top > room) pane.scrollTop += top - pane.clientHeight / 3;
    };

    // Of a heap that is larger than its frame, shows the part that matters now.
    const reveal = (shape) => {
      const frame = svg.parentElement;
      if (!shape || frame.scrollHeight <= frame.clientHeight && frame.scrollWidth <= frame.clientWidth) return;
      const [inner, outer] = [shape.getBoundingClientRect(), frame.getBoundingClientRect()];
      if (inner.top < outer.top || inner.bottom > outer.bottom) frame.scrollTop += inner.top - outer.top - outer.height / 3;
      if (inner.left < outer.left || inner.right > outer.right) frame.scrollLeft += inner.left - outer.left - outer.width / 3;
    };

    slider.addEventListener('input', () => section.show(Number(slider.value)));
    section.addEventListener('focusin', () => { current = section; });
    section.addEventListener('pointerdown', () => { current = section; });
    section.addEventListener('click', (event) => {
      const button = event.target.closest('button[data-go]');
      const row = event.target.closest('tr[data-step]');
      if (button) section.go(button.dataset.go);
      else if (row) section.show(Number(row.dataset.step));
    });
    section.show(last);
  }

  const keys = { ArrowLeft: 'back', ArrowRight: 'on', Home: 'first', End: 'last' };
  document.addEventListener('keydown', (event) => {
    const where = keys[event.key];
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!where || !plain || !current || event.target.matches('input')) return;
    event.preventDefault();
    current.go(where);
  });

  // Keys are for what the reader looks at.
  const seen = new IntersectionObserver((entries) => {
    const visible = entries.filter((entry) => entry.isIntersecting);
    visible.sort((a, b) => b.intersectionRatio - a.intersectionRatio);
    if (visible.length > 0) current = visible[0].target;
  }, { threshold: [0.4, 0.7] });
  sections.forEach((section) => seen.observe(section));

  // Paper has no triangle to open.
  addEventListener('beforeprint', () => {
    for (const steps of document.querySelectorAll('details.steps')) steps.open = true;
  });

  const theme = document.getElementById('theme');
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const root = document.documentElement;
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme || system) === 'dark' ? 'light' : 'dark';
  });
})();
