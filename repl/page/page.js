// Shows the data of the page: for each change of layout the devices, step by step. What a number means is said in
// docs/language.md, "JSON of a plan"; how the data are laid out, in repl/page/page_data.hpp.
'use strict';
(() => {
  const { bytes, count, seconds, boxText, partText, stepText, element } = Stage;
  const data = JSON.parse(document.getElementById('data').textContent);
  // Changes of layout, then the arrays that operations move boxes of.
  const changes = [...data.changes, ...data.parts.flatMap((part) => part.arrays)];
  const byId = (id) => document.getElementById(id);
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const FLIGHT_MS = 900;
  const PAUSE_MS = 700;

  // Which change is shown, after how many of its steps, and whether it goes on by itself. `run` numbers what is under
  // way, so that an animation that was overtaken knows it; `flying` says whether boxes are in flight.
  const state = { change: 0, moment: 0, playing: false, run: 0, flying: false };
  const change = () => changes[state.change];

  // ---- What stands around the devices ----

  function say(one) {
    const moment = one.moments[state.moment];
    const total = one.steps.length;
    if (state.moment === 0) {
      const steps = total === 1 ? '1 step' : `${total} steps`;
      return `Before: ${moment.type}. ${total === 0 ? 'Every device has its part already.' : `${steps} to come.`}`;
    }
    const step = one.steps[state.moment - 1];
    const sent = step.received_bytes_total === 0 ? 'Nothing is sent.' :
      `Devices receive ${step.at_most ? 'at most ' : ''}${bytes(step.received_bytes_total)} in all, at most ${bytes(step.received_bytes_max)} each.`;
    return `After step ${state.moment} of ${total}, ${stepText(step)}: ${moment.type}. ${sent}${step.busy ? ` In the meantime ${step.busy}.` : ""} Peak on a device ${bytes(step.peak_bytes)}.`;
  }

  function showFigures(one) {
    const figures = [
      [one.steps.some((step) => step.at_most) ? 'received at most' : 'received', `${bytes(one.received_bytes_total)} in all`, one.received_bytes_total],
      ['at least', bytes(one.lower_bound_bytes_total ?? 0), one.lower_bound_bytes_total],
      ['largest array', bytes(one.local_bytes_max), one.local_bytes_max],
      ['bound', bytes(one.bound_bytes), one.bound_bytes],
      ['peak', bytes(one.peak_bytes), one.peak_bytes],
      ['time, modelled', seconds(one.seconds ?? 0), one.seconds],
    ].filter(([, , exact]) => exact !== undefined);
    byId('figures').replaceChildren(...figures.map(([name, text, exact]) => {
      const value = element('dd', { textContent: text });
      value.dataset.exact = exact;
      if (name !== 'time, modelled') value.title = `${count(exact)} bytes`;
      return element('div', {}, element('dt', { textContent: name }), value);
    }));
  }

  function showSteps(one) {
    byId('steps').replaceChildren(...one.steps.map((step, i) => {
      const item = element('li', { textContent: stepText(step) });
      if (i + 1 === state.moment) item.setAttribute('aria-current', 'step');
      return item;
    }));
  }

  function showRows(moment) {
    byId('rows').replaceChildren(...moment.devices.map((device) => element('tr', {},
      element('td', { textContent: device.name }),
      element('td', { textContent: [boxText(device.box), partText(moment, device)].filter(Boolean).join(', ') }),
      element('td', { textContent: count(device.bytes) }),
      element('td', { textContent: count(device.received_bytes) }))));
  }

  function showControls(one) {
    const atStart = state.moment === 0;
    const atEnd = state.moment === one.steps.length;
    byId('first').disabled = byId('back').disabled = atStart;
    byId('next').disabled = byId('last').disabled = atEnd;
    byId('play').disabled = one.steps.length === 0;
    byId('play').textContent = state.playing ? 'Pause' : 'Play';
  }

  // Scrolls a panel, and nothing around it.
  function bringIntoSight(panel, inside) {
    if (!inside) return;
    const [outer, inner] = [panel.getBoundingClientRect(), inside.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      panel.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    }
  }

  function showHere(one) {
    for (const line of byId('lines').children) line.classList.toggle('here', Number(line.dataset.line) === one.line);
    bringIntoSight(byId('program'), byId('lines').querySelector('.here'));
    for (const button of byId('list').querySelectorAll('button')) {
      button.setAttribute('aria-current', String(Number(button.dataset.change) === state.change));
    }
    bringIntoSight(byId('list').firstChild, byId('list').querySelector('[aria-current=true]'));
  }

  const titleOf = (one) => one.label ?? `${one.from} → ${one.to}`;
  const patternOf = (moment) => moment.pattern.map((line) => element('li', { textContent: line }));

  // How the picture of a change is read.
  const keyOf = (one, { shape, cards }) => [
    Stage.howDrawn(one, shape),
    one.steps.length === 0 ? 'The lower bar is the device\'s memory.' :
      'The lower bar is the device\'s memory: what it holds and, while a step runs, what comes; the dashed line is the bound of a single array. ' +
      'After the + stands what it received in the last step.',
    one.moments.some((m) => m.contributions > 1) ? 'A hatched tile is one part of a sum that is still to be made.' : '',
    Stage.howPlaced(one, cards),
  ].filter(Boolean).join(' ');

  // Nobody presses a button on paper: there a lesson's other arrays follow the one that is chosen.
  function drawOthers() {
    if (!data.lesson) return;
    const others = changes.filter((one) => one !== change());
    byId('others').replaceChildren(...others.map((one) => {
      const stage = element('div', { className: 'stage' });
      const drawn = Stage.draw(stage, one, one.moments[0], null, byId('stage').clientWidth);
      return element('div', {}, element('h2', { textContent: titleOf(one) }),
        element('p', { className: 'why' }, ...withCode(one.why)),
        element('ul', { className: 'pattern' }, ...patternOf(one.moments[0])), stage,
        element('p', { className: 'key', textContent: keyOf(one, drawn) }));
    }));
  }

  // Everything about the current moment. A disabled button loses the focus to its neighbour, not to the page.
  function show() {
    const one = change();
    const moment = one.moments[state.moment];
    const focused = document.activeElement;
    byId('change').dataset.moment = state.moment;
    byId('title').textContent = titleOf(one);
    byId('why').replaceChildren(...withCode(one.why));
    byId('live').textContent = say(one);
    byId('hops').replaceChildren(...(one.steps[state.moment - 1]?.hop_lines ?? []).map((line) => element('li', { textContent: line })));
    byId('pattern').replaceChildren(...patternOf(moment));
    showFigures(one);
    showSteps(one);
    showRows(moment);
    showControls(one);
    showHere(one);
    state.flying = false;
    byId('key').textContent = keyOf(one, Stage.draw(byId('stage'), one, moment, null));
    drawOthers();
    if (focused && focused.disabled) byId('play').focus();
  }

  // ---- Moving ----

  function stop() {
    state.playing = false;
    ++state.run;
  }
  function goTo(moment) {
    stop();
    state.moment = Math.max(0, Math.min(change().steps.length, moment));
    show();
  }
  function choose(index) {
    if (index < 0 || index >= changes.length) return;
    stop();
    state.change = index;
    state.moment = 0;
    show();
  }

  function fly(step, drawn, done) {
    const run = state.run;
    const pieces = Stage.flights(step, drawn);
    const { x: dx, y: dy } = Stage.inset;
    let begun = null;
    state.flying = true;
    const frame = (now) => {
      if (run !== state.run) return;
      begun ??= now;
      const t = Math.min(1, (now - begun) / (FLIGHT_MS * Math.max(1, step.hops)));
      for (const { node, from, to, begin, end } of pieces) {
        const u = Math.min(1, Math.max(0, (t - begin) / (end - begin)));
        const eased = u * u * (3 - 2 * u);
        node.setAttribute('transform', `translate(${from.x + (to.x - from.x) * eased + dx} ${from.y + (to.y - from.y) * eased + dy})`);
      }
      if (t < 1) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  }

  // Takes the next step, with its boxes in flight unless the reader wants no motion; then `after`.
  function advance(after) {
    const one = change();
    if (state.moment >= one.steps.length) return after();
    const run = ++state.run;
    const arrive = () => {
      if (run !== state.run) return;
      ++state.moment;
      show();
      after();
    };
    const step = one.steps[state.moment];
    if (calm.matches) return arrive();
    fly(step, Stage.draw(byId('stage'), one, one.moments[state.moment], one.moments[state.moment + 1]), arrive);
  }
  function next() {
    state.playing = false;
    advance(() => {});
  }
  function playOn() {
    if (!state.playing) return;
    if (state.moment === change().steps.length) {
      stop();
      return showControls(change());
    }
    advance(() => {
      const run = state.run;
      setTimeout(() => { if (run === state.run) playOn(); }, PAUSE_MS);
    });
  }
  function play() {
    if (state.playing) return goTo(state.moment);
    if (state.moment === change().steps.length) state.moment = 0;
    state.playing = true;
    show();
    playOn();
  }

  const actions = {
    first: () => goTo(0),
    back: () => goTo(state.moment - 1),
    play,
    next,
    last: () => goTo(change().steps.length),
  };
  const keys = {
    Home: actions.first, ArrowLeft: actions.back, ' ': actions.play, ArrowRight: actions.next, End: actions.last,
    ArrowUp: () => choose(state.change - 1), ArrowDown: () => choose(state.change + 1),
  };

  function press(event) {
    const action = keys[event.key];
    const presses = event.key === ' ' && event.target.closest('button, summary') !== null;
    const scrolls = event.key.startsWith('Arrow') && event.target.closest('.wide, #program') !== null;
    if (!action || presses || scrolls || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  }

  // ---- The beginning ----

  function lineItem(text, i) {
    const line = i + 1;
    const index = changes.findIndex((one) => one.line === line);
    const number = index < 0 ? element('span', { className: 'number', textContent: line }) :
      element('button', { className: 'number', type: 'button', textContent: line, onclick: () => choose(index) });
    if (index >= 0) number.setAttribute('aria-label', `line ${line}: show what it moves`);
    const item = element('li', {}, number, element('span', { className: 'code', textContent: text }));
    item.dataset.line = line;
    item.classList.toggle('moves', data.parts.some((part) => part.line === line));
    return item;
  }

  function changeItem(one, i) {
    const steps = one.steps.map((step) => (step.at_most === undefined ? step.op : stepText(step))).join(', ') || 'nothing';
    const words = one.label ?? `${i + 1}. line ${one.line}: ${steps}`;
    const button = element('button', { type: 'button', textContent: words, onclick: () => choose(i) });
    button.dataset.change = i;
    return element('li', {}, button);
  }

  function partItem(part) {
    const most = part.at_most ? 'at most ' : '';
    const verb = { carry: 'carries', deliver: 'delivers' }[part.op] ?? 'fetches';
    const item = element('li', {}, ...withCode(`line ${part.line}: ${part.who} ${verb} ${most}${bytes(part.received_bytes_total)}`));
    item.dataset.exact = part.received_bytes_total;
    return item;
  }

  function workItem(step) {
    const waits = step.fastest_seconds < step.seconds ? `, ${seconds(step.fastest_seconds)} on the fastest` : ' on every device';
    const where = step.fastest_seconds < step.seconds ? ` on device ${step.slowest}` : '';
    return element('li', { textContent: `line ${step.line}: ${step.step} takes ${seconds(step.seconds)}${where}${waits}` });
  }

  // Paragraphs stand between blank lines; one that is indented is shown as it is written.
  function paragraphs(lines) {
    return lines.join('\n').split(/\n\s*\n/).filter((text) => text.trim() !== '').map((text) =>
      (text.startsWith('    ') ? element('pre', { textContent: text.replace(/^ {4}/gm, '').trimEnd() }) :
        element('p', {}, ...withCode(text.replace(/\n/g, ' ')))));
  }
  // What stands between backquotes is code.
  function withCode(text) {
    return text.split('`').map((piece, i) => (i % 2 === 0 ? piece : element('code', { textContent: piece })));
  }
  function showLesson() {
    document.body.classList.add('handout');
    byId('lesson').hidden = false;
    byId('text').replaceChildren(...paragraphs(data.lesson.text));
    byId('goal').replaceChildren(element('strong', { textContent: 'Goal: ' }), ...withCode(data.lesson.goal.replace(/\n/g, ' ')));
  }

  function begin() {
    if (data.lesson) showLesson();
    document.title = `${data.name} - Tessera`;
    byId('name').textContent = data.name.split('/').pop();
    byId('name').title = data.name;
    byId('summary').textContent = data.summary;
    byId('machine').replaceChildren(...withCode(data.machine.replace('--machine FILE', '`$&`')));
    byId('lines').replaceChildren(...data.program.map(lineItem));
    byId('parts').hidden = data.parts.length === 0;
    byId('parts').querySelector('ul').replaceChildren(...data.parts.map(partItem));
    byId('estimate').hidden = !data.estimate;
    if (data.estimate) byId('estimate').replaceChildren(EstimateView.shown(data.estimate, data.program, byId('estimate').clientWidth));
    byId('pipelines').hidden = data.pipelines.length === 0;
    byId('pipelines').replaceChildren(...data.pipelines.map((one) => Timeline.shown(one, byId('pipelines').clientWidth)));
    byId('work').hidden = data.work.length === 0;
    byId('work').querySelector('ul').replaceChildren(...data.work.map(workItem));
    if (changes.length === 0) {
      byId('change').hidden = true;
      byId('nothing').hidden = data.parts.length > 0 || data.lesson !== undefined;
      return;
    }
    byId('list').replaceChildren(element('ul', {}, ...changes.map(changeItem)));
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action);
    document.addEventListener('keydown', press);
    let width = 0;
    new ResizeObserver(() => {
      if (byId('stage').clientWidth === width || state.flying) return;
      width = byId('stage').clientWidth;
      Stage.draw(byId('stage'), change(), change().moments[state.moment], null);
      drawOthers();
    }).observe(byId('stage'));
    show();
  }
  begin();
})();
