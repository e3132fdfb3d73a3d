const trip = {
  plan: ['Ask what you like', 'Look up trains and the weather', 'Compare places to stay', 'Book the trip'],
  thought:
    'Two people, one weekend, by train. Under four hours each way leaves most of both days. First I need to know what kind of place it should be.',
  found: '',
  question: 'Where would you rather spend the weekend?',
  task: 'Find a quiet place to stay for one night, close to the station.',
  report: 'Of twelve places, **{stay}** is the closest to the station and within the budget.\n',
  answer: `# A weekend in {place}

The train takes **{hours} hours** and goes direct. The weather should be kind: 21° on Saturday, 19° and perhaps some rain on Sunday.

1. Take the 07:46 train and leave the bags at *{stay}*.
2. Walk {walk}.
3. Sleep late on Sunday and eat before the train home.

| When | What | Cost |
| --- | --- | ---: |
| Saturday | Train there | 45 € |
| Saturday | One night at {stay} | 96 € |
| Sunday | Train back | 45 € |

\`\`\`ics
DTSTART:20270515T074600
SUMMARY:Train to {place}
\`\`\`
`,
  confirm: 'Book the trains and {stay} for {price} €?',
  consequence: 'The tickets cannot be returned.',
  done: '## Booked\n\nYour trip to {place} is booked. The number is **DEMO-4711**. Have a good time!\n',
  kept: 'Nothing is booked. The plan stays here, and the price holds until tomorrow.\n',
}

/** The texts of a story. Answers are Markdown; an empty `found` is skipped. */
export type StoryWords = typeof trip

const fix: StoryWords = {
  plan: ['Run the tests', 'Change the code', 'Have it reviewed', 'Push the fix'],
  thought:
    'The test expects 19.99 and gets 20. That looks like rounding to whole units instead of cents. I will look at the function and at who calls it.',
  found: `## What is wrong

\`total()\` rounds to whole units, the test wants cents. There are two ways to fix it, and they differ by a cent on long invoices.
`,
  question: 'Where should the amount be rounded?',
  task: 'Look at the change in src/invoice.ts and say whether it is safe.',
  report: 'The change is small and touches one function. Nothing else calls it.\n',
  answer: `# Fixed

The amount is rounded like this: *{where}*.

\`\`\`ts
{rounding}
\`\`\`

| Tests | Before | After |
| --- | ---: | ---: |
| passed | 41 | 42 |
| failed | 1 | 0 |

- One line was changed, in \`src/invoice.ts\`.
- A reviewer looked at it.
`,
  confirm: 'Push the fix to the main branch?',
  consequence: 'It is deployed at once and cannot be taken back.',
  done: 'Pushed as `4f2c9e1`. All tests pass.\n',
  kept: 'Nothing was pushed. The change is in your working directory.\n',
}

/** Everything that the demo says. `{name}` is a word of the choice, or the text of a message. */
export const en = {
  heard: 'I heard: {text}\n',
  again: 'Let us go on where we were.\n',
  trip,
  fix,
  places: {
    sea: { label: 'By the sea', place: 'Warnemünde', stay: 'Lighthouse Inn', walk: 'along the beach' },
    hills: { label: 'In the hills', place: 'Wernigerode', stay: 'Forest Lodge', walk: 'up to the castle' },
    city: { label: 'In a city', place: 'Prague', stay: 'Bridge House', walk: 'across the old bridge' },
  },
  roundings: { end: 'Once, at the end', line: 'On every line' },
  long: {
    plan: 'Write a long report',
    title: 'A long report',
    section: 'Section',
    text: 'This text is long on purpose, so that you can see how a stream behaves when it goes on and on. Close the window, come back later, and read on from the very word where you left.',
  },
}

export type Words = typeof en
