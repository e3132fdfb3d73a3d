/** Markdown of every kind, with words and lines that are wider than a narrow page. */
export const everyMarkdown = `# A trip to the sea

The plan in *brief*, with **two** trains, \`code in a line\`, ~~nothing~~ and a [timetable](https://example.org/trains).
An address alone: https://example.org/a/very/long/address/that/goes/on/and/on/without/any/place/to/break/it?or=none

## What to pack

- Warm clothes
- Food
  1. Bread
  2. Apples
- [x] Tickets
- [ ] Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft

### Trains

| From | To | Departs | Arrives | Platform | Remarks |
| :--- | ---: | :---: | --- | --- | --- |
| Hamburg | Westerland | 08:00 | 11:12 | 7 | Reservation recommended on Saturdays |
| Westerland | Hamburg | 16:22 | 19:31 | 2 | Bicycles welcome |

> Who travels light travels far.

---

\`\`\`ts
const departures = await findDepartures({ from: 'Hamburg', to: 'Westerland', on: '2026-05-24', bicycles: 2, seats: 'window' })
\`\`\`

`

/** A paragraph and a list that are read from right to left. */
export const rightToLeft = `الوصول إلى الشاطئ عند الظهر، ثم المشي إلى الفندق.

- خبز وتفاح
- تذاكر القطار

Then back, from left to right.
`
