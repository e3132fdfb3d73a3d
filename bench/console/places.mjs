/**
 * The places of a session to open: the query of the address in a session of `count` entries, and what to wait
 * for there, in the console and in the floor. The tests run in the page, where `entryCount` is defined.
 */
export const places = {
  answer: {
    query: () => '',
    console: { answer: () => document.querySelector('.end') !== null },
    floor: { answer: () => document.querySelector('[data-all]') !== null },
  },
  timeline: {
    query: () => '?part=timeline',
    console: {
      rows: () => {
        const row = document.querySelector('.timeline-row:last-child .timeline-text')
        return row !== null && row.textContent !== '…'
      },
      outline: () => Number(document.querySelector('.timeline-row')?.ariaSetSize) === globalThis.entryCount,
    },
    floor: {
      rows: () => document.querySelector('[data-rows]') !== null,
      outline: () => document.querySelector('[data-all]') !== null,
    },
  },
  entry: {
    query: (count) => `?seq=${Math.floor(count * 0.99)}`,
    console: {
      entry: () => document.querySelector('.entry .events') !== null,
      row: () => document.querySelector('.timeline-row[aria-selected=true]') !== null,
    },
    floor: { entry: () => document.querySelector('[data-all]') !== null },
  },
  charts: {
    query: () => '?part=charts',
    console: {
      charts: () => {
        const [, told = ''] =
          /([\d\s,.]+) events/.exec(document.querySelector('.chart-caption')?.textContent) ?? []
        return Number(told.replace(/\D/g, '')) === globalThis.entryCount
      },
    },
    floor: { charts: () => document.querySelector('[data-all]') !== null },
  },
  past: {
    query: (count) => `?at=${Math.floor(count * 0.5)}`,
    console: { past: () => document.querySelector('.answer-text') !== null },
    floor: { past: () => document.querySelector('[data-all]') !== null },
  },
}
