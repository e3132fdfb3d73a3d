import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import { type AaepFrame, createConverter, dialectById } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { repository } from '../testing/run-sluice.ts'
import { type ListenOptions, listen } from './listen.ts'
import { phrasesFor } from './phrases/phrases-for.ts'
import { createHandVoice } from './testing/hand-voice.ts'
import {
  chunk,
  clarification,
  confirmation,
  createScriptedSource,
  event,
  openedAtMs,
  outcome,
} from './testing/scripted-session.ts'
import { createTerminal } from './testing/terminal.ts'

const clock = { now: () => openedAtMs, monotonic: () => openedAtMs, after: () => ({ clear: () => {} }) }

function start(given: Partial<ListenOptions> & { readonly isTTY?: boolean } = {}) {
  const { isTTY = true, ...options } = given
  const terminal = createTerminal({ isTTY })
  const source = createScriptedSource()
  const listening = listen({
    source,
    io: terminal,
    clock,
    phrases: phrasesFor(['en']),
    verbosity: 'normal',
    ...options,
  })
  return { terminal, source, listening }
}

/** All lines of a session that is over. */
async function tell(events: readonly AaepFrame[], options: Partial<ListenOptions> = {}): Promise<string> {
  const { terminal, source, listening } = start({ ...options, isTTY: false })
  source.send(...events)
  source.end()
  await listening
  return terminal.lines().join('\n')
}

const recorded = readFileSync(join(repository, 'examples/recording.aaep.ndjson'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as AaepFrame)

describe('a whole session', () => {
  test('the bundled recording', async () => {
    expect(await tell(recorded)).toMatchInlineSnapshot(`
      "Planning a weekend in Évora. Request: A weekend in Évora for two, by train, please.
      Thinking.
      10 percent, step 1 of 4. Choosing a train.
      Looking for trains to Évora.
      Four trains run on Saturday morning.
      40 percent, step 2 of 4. Writing the plan.
      I found a train that suits you.
      It leaves Lisbon at 8:02 and reaches Évora at 9:33.
      Start the day with a coffee at the café on the square ☕, then walk to the temple and up to the cathedral roof.
      On Sunday, follow the old aqueduct out of town.
      It is an easy walk of three kilometres.
      Question: Book two seats on the 8:02 train on Saturday. Consequence: Your card is charged 24 euros. The tickets cannot be returned. This cannot be undone. Without an answer: reject. 2 minutes left.
      You agreed to the booking.
      Booking two seats. This cannot be undone.
      The seats are booked.
      90 percent, step 4 of 4. Finishing.
      Your seats are 14A and 14B, side by side.
      Have a lovely weekend!
      🚆
      Your weekend in Évora is planned and the train is booked."
    `)
  })

  test('the same, terse', async () => {
    expect(await tell(recorded, { verbosity: 'terse' })).toMatchInlineSnapshot(`
      "Planning.
      10 percent, step 1 of 4. Choosing a train.
      Looking for trains to Évora.
      Four trains run on Saturday morning.
      40 percent, step 2 of 4. Writing the plan.
      I found a train that suits you.
      It leaves Lisbon at 8:02 and reaches Évora at 9:33.
      Start the day with a coffee at the café on the square ☕, then walk to the temple and up to the cathedral roof.
      On Sunday, follow the old aqueduct out of town.
      It is an easy walk of three kilometres.
      Question: Book two seats on the 8:02 train on Saturday. Consequence: Your card is charged 24 euros. The tickets cannot be returned. This cannot be undone. 2 minutes left.
      You agreed to the booking.
      Booking two seats. This cannot be undone.
      The seats are booked.
      90 percent, step 4 of 4. Finishing.
      Your seats are 14A and 14B, side by side.
      Have a lovely weekend!
      🚆
      Done."
    `)
  })

  test('the same for a German, who hears our own words in German', async () => {
    const events = recorded.map((told) => ({ ...told, timestamp: new Date(openedAtMs).toISOString() }))
    expect(await tell(events, { phrases: phrasesFor(['de']) })).toMatchInlineSnapshot(`
      "Planning a weekend in Évora. Auftrag: A weekend in Évora for two, by train, please.
      Denkt nach.
      10 Prozent, Schritt 1 von 4. Choosing a train.
      Looking for trains to Évora.
      Four trains run on Saturday morning.
      40 Prozent, Schritt 2 von 4. Writing the plan.
      I found a train that suits you.
      It leaves Lisbon at 8:02 and reaches Évora at 9:33.
      Start the day with a coffee at the café on the square ☕, then walk to the temple and up to the cathedral roof.
      On Sunday, follow the old aqueduct out of town.
      It is an easy walk of three kilometres.
      Frage: Book two seats on the 8:02 train on Saturday. Folge: Your card is charged 24 euros. The tickets cannot be returned. Das lässt sich nicht rückgängig machen. Ohne Antwort: ablehnen. Noch 2 Minuten.
      You agreed to the booking.
      Booking two seats. Das lässt sich nicht rückgängig machen.
      The seats are booked.
      90 Prozent, Schritt 4 von 4. Finishing.
      Your seats are 14A and 14B, side by side.
      Have a lovely weekend!
      🚆
      Your weekend in Évora is planned and the train is booked."
    `)
  })

  test('a coding agent of another dialect', async () => {
    const lines = [
      { type: 'thinking', data: { message: 'Looking.' } },
      { type: 'tool_call', data: { tool: 'run_tests', args: { secret: 1 } } },
      { type: 'tool_result', data: { tool: 'run_tests', status: 'error', error: 'exit code 1' } },
      { type: 'answer_chunk', data: { text: '## Result\n\nTwo tests **fail**. Here is the f' } },
      { type: 'answer_chunk', data: { text: 'ix:\n\n```ts\nconst a = 1\n\nexport { a }\n```\n\n' } },
      {
        type: 'answer_chunk',
        data: { text: '| file | tests |\n|---|---|\n| a.ts | 2 |\n\nSee https://example.org/a/b.' },
      },
    ].map((frame) => JSON.stringify(frame))
    const converter = createConverter({ from: dialectById('stream-event'), to: dialectById('aaep') })
    const frames = [
      ...lines.flatMap((line) => converter.push(line).frames),
      ...converter.end().flatMap((end) => end.frames),
    ]
    const told = await tell(frames.map(({ data }) => JSON.parse(data) as AaepFrame))
    expect(told).toContain(`Heading: Result
Two tests fail.
Here is the fix:
Code block, 3 lines, TypeScript.
Table, 2 columns: file, tests.
file: a.ts, tests: 2.
See example.org.`)
    expect(told).not.toMatch(/const a|secret/)
  })

  test('an error is told with what helps', async () => {
    const error = event('session.errored', {
      urgency: 'critical',
      error_category: 'transient',
      summary_normal: 'The booking site is down',
      remediation_hint: 'Try again in an hour.',
    })
    expect(await tell([chunk('Half a sen'), error])).toBe(
      'Half a sen\nError: The booking site is down. Try again in an hour.',
    )
  })
})

describe('events', () => {
  const invoked = event('tool.invoked', { tool: 'rm', summary_normal: 'Deleting files', irreversible: true })
  test.each<[string, AaepFrame, string]>([
    ['an irreversible tool', invoked, 'Deleting files. This cannot be undone.'],
    [
      'a tool that failed',
      event('tool.completed', { tool: 'run_tests', status: 'error', error_message: 'Exit code 1' }),
      'The tool run tests failed. Exit code 1.',
    ],
    ['a tool that did well', event('tool.completed', { tool: 'a', status: 'success' }), ''],
    [
      'progress',
      event('progress.updated', {
        progress: { percent: 40.4, step: 2, total_steps: 5, description: 'Writing' },
      }),
      '40 percent, step 2 of 5. Writing.',
    ],
    [
      'a state of its own',
      event('state.changed', { from_state: 'idle', to_state: 'brewing_tea' }),
      'State: brewing tea.',
    ],
    [
      'a handoff',
      event('handoff.requested', { urgency: 'critical', reason: 'Too hard', target_kind: 'human' }),
      'Handed over to a person: Too hard.',
    ],
    [
      'a warning',
      {
        ...invoked,
        type: 'sluice:notice',
        ...carrying({ kind: 'notice', level: 'warning', text: 'Disk full' }),
      },
      'Deleting files.',
    ],
  ])('%s', async (_, given, told) => {
    expect(await tell([given])).toBe(told)
  })

  test.each([
    [{ kind: 'notice', level: 'warning', text: 'Disk full' }, 'Warning: Disk full.'],
    [{ kind: 'notice', level: 'debug', text: 'x' }, ''],
    [{ kind: 'part-add', part: { type: 'file', name: 'plan.pdf' } }, 'File: plan.pdf.'],
    [{ kind: 'sources', items: [1, 2] }, '2 sources.'],
    [{ kind: 'usage' }, ''],
  ])('our own extension %j', async (carried, told) => {
    const { '@context': context, event_id, session_id, timestamp, producer } = chunk('')
    const frame = {
      '@context': context,
      event_id,
      session_id,
      timestamp,
      producer,
      type: `sluice:${carried.kind}`,
    }
    expect(await tell([{ ...frame, ...carrying(carried) }])).toBe(told)
  })

  test('a state that is told twice in a row is told once', async () => {
    const thinking = event('state.changed', { from_state: 'idle', to_state: 'thinking' })
    expect(await tell([thinking, thinking, chunk('Hm.'), thinking])).toBe('Thinking.\nHm.\nThinking.')
  })

  test('outputs that are no text are announced', async () => {
    const json = chunk('{\n  "a": 1\n}', { content_type: 'application/json', complete: true })
    expect(await tell([json])).toBe('Code block, 3 lines, JSON.')
  })

  test('what is named plain has no marks', async () => {
    expect(
      await tell([chunk('2*3*4 is 24. # no heading', { content_type: 'text/plain', complete: true })]),
    ).toBe('2*3*4 is 24.\n# no heading')
  })

  test('a text that is interrupted goes on', async () => {
    const tool = event('tool.invoked', { tool: 'ls', summary_normal: 'Listing files.' })
    const progress = event('progress.updated', { progress: { percent: 1 } })
    expect(
      await tell([chunk('Let me'), progress, chunk(' look'), tool, chunk(' again.', { complete: true })]),
    ).toBe('1 percent.\nLet me look\nListing files.\nagain.')
  })
})

function carrying(carried: object) {
  return { extensions: { sluice: { event: carried } } }
}

test('on a terminal a long utterance goes on behind a margin, so that it cannot look like ours', async () => {
  const terminal = createTerminal({ columns: 40 })
  const source = createScriptedSource()
  const listening = listen({ source, io: terminal, clock, phrases: phrasesFor(['en']), verbosity: 'normal' })
  source.send(chunk(`${'x'.repeat(40)} Question: Delete everything?`, { complete: true }))
  const rows = await terminal.until('everything?')
  expect(rows.length).toBeGreaterThan(1)
  for (const row of rows) expect(row.length).toBeLessThan(40)
  for (const row of rows.slice(1)) expect(row).toMatch(/^ {2}\S/)
  terminal.press('q')
  await listening
})

describe('a question', () => {
  test('is told with what follows, and answered by a key; its outcome is told', async () => {
    const { terminal, source, listening } = start()
    source.send(chunk('I found a train'), confirmation({ irreversible: true, risk_level: 'low' }))
    expect(await terminal.until('Question')).toEqual([
      'I found a train',
      'Question: Book two seats. Consequence: Your card is charged 24 euros. This cannot be undone. ' +
        'Answer y for accept, n for reject. Without an answer: reject. 2 minutes left.',
    ])
    terminal.press('y')
    await terminal.until('Answer sent: accept.')
    expect(source.replies).toEqual([['rpl_seats', 'accept']])
    terminal.press('n')
    await terminal.until('Your answer was already sent.')
    source.send(outcome('rpl_seats', { how: 'answered', decision: 'accept' }))
    await terminal.until('The request was accepted.')
    terminal.press('y')
    await terminal.until('No question is open.')
    terminal.press('q')
    await listening
    expect(source.replies).toHaveLength(1)
  })

  test('that was no longer open is told so, whatever was sent', async () => {
    const { terminal, source, listening } = start()
    source.answerWith({ counted: false })
    source.send(confirmation())
    await terminal.until('Question')
    terminal.press('y')
    expect(await terminal.until('did not count')).toEqual([
      'Your answer did not count: the question was no longer open.',
    ])
    terminal.press('q')
    await listening
    expect(terminal.lines().join()).not.toContain('Answer sent')
  })

  test('with choices is answered by a number', async () => {
    const { terminal, source, listening } = start()
    const choices = [
      { value: 'early', label: 'The 8:02' },
      { value: 'late', label: 'The 9:32.' },
    ]
    source.send(
      clarification({ accepted_response_kinds: ['multiple_choice'], choices, default_response: 'early' }),
    )
    expect(await terminal.until('Question')).toEqual([
      'Question: Which train? 1: The 8:02. 2: The 9:32. Press the number of your choice. ' +
        'Without an answer: early. 90 seconds left.',
    ])
    terminal.press('3')
    await terminal.until('That is not an answer to this question.')
    terminal.press('2')
    await terminal.until('Answer sent: The 9:32.')
    terminal.press('q')
    await listening
    expect(source.replies).toEqual([['rpl_train', 'late']])
  })

  test('is answered by a typed line, while everything else waits', async () => {
    const { terminal, source, listening } = start()
    source.send(clarification({ question: 'How many?', accepted_response_kinds: ['numeric'] }))
    await terminal.until('Press a to type a number.')
    terminal.press('a')
    await terminal.until('Type your answer')
    expect(terminal.isRaw).toBe(false)
    source.send(chunk('Meanwhile.', { complete: true }))
    terminal.press('two\n')
    expect(await terminal.until('That is not an answer')).toEqual(['That is not an answer to this question.'])
    await terminal.until('Meanwhile.')
    expect(terminal.isRaw).toBe(true)
    terminal.press('a')
    await terminal.until('Type your answer')
    terminal.press('\n')
    await terminal.until('No answer was sent.')
    terminal.press('a')
    await terminal.until('Type your answer')
    terminal.press('2\n')
    await terminal.until('Answer sent: 2.')
    terminal.press('q')
    await listening
    expect(source.replies).toEqual([['rpl_train', 2]])
  })

  test('that is closed while somebody types gets no answer', async () => {
    const { terminal, source, listening } = start()
    source.send(clarification())
    await terminal.until('Press a to type an answer.')
    terminal.press('a')
    await terminal.until('Type your answer')
    source.send(outcome('rpl_train', { how: 'timeout' }), chunk('x', { complete: true }))
    await new Promise(setImmediate)
    terminal.press('the late one\n')
    await terminal.until('The question is closed. Your answer was not sent.')
    await terminal.until('No answer came in time.')
    terminal.press('q')
    await listening
    expect(source.replies).toEqual([])
  })

  test('waits for the one before it, and is told again when its turn comes', async () => {
    const { terminal, source, listening } = start()
    source.send(confirmation(), clarification())
    await terminal.until('Another question, after this one: Which train? 90 seconds left.')
    terminal.press('n')
    await terminal.until('Answer sent: reject.')
    source.send(outcome('rpl_seats', { how: 'answered', decision: 'reject' }))
    await terminal.until('The request was rejected.')
    await terminal.until('Question: Which train? Press a to type an answer.')
    terminal.press('q')
    await listening
    expect(source.replies).toEqual([['rpl_seats', 'reject']])
  })

  test('is not answered by text that is pasted', async () => {
    const { terminal, source, listening } = start()
    source.send(confirmation())
    await terminal.until('Question')
    terminal.press('yes, yes')
    terminal.press('q')
    await listening
    expect(source.replies).toEqual([])
  })

  test('whose answer cannot be sent can be answered again', async () => {
    const { terminal, source, listening } = start()
    source.failWith(new SluiceError('forbidden'))
    source.send(confirmation())
    await terminal.until('Question')
    for (const key of ['y', 'n']) {
      terminal.press(key)
      await terminal.until('The answer could not be sent. The credential does not allow this.')
    }
    terminal.press('q')
    await listening
  })

  test('without a keyboard says nothing of keys', async () => {
    expect(await tell([confirmation({ timeout_seconds: 86_400 })])).toBe(
      'Question: Book two seats. Consequence: Your card is charged 24 euros.',
    )
  })
})

describe('keys', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `Line ${index + 1}.\n\n`).join('')

  test('r repeats, w tells where we are, ? tells the keys, q quits', async () => {
    const { terminal, source, listening } = start()
    terminal.press('r')
    await terminal.until('Nothing was told yet.')
    source.send(
      event('tool.invoked', { tool: 'search_trains', tool_call_id: 'call_1', summary_normal: 'Searching.' }),
    )
    await terminal.until('Searching.')
    terminal.press('w')
    await terminal.until(
      'Trip planner. Using a tool. Tool under way: search trains. Nothing waits to be told.',
    )
    terminal.press('r')
    await terminal.until('Searching.')
    terminal.press('?')
    await terminal.until('q quits.')
    terminal.press('\u001b[A')
    terminal.press('q')
    await listening
    expect(terminal.isRaw).toBe(false)
    expect(terminal.hints()).toBe('Press ? for the keys.\n')
  })

  test('p holds the lines back but no question, and e skips what waits', async () => {
    const { terminal, source, listening } = start()
    terminal.press('p')
    await terminal.until('Paused.')
    source.send(chunk(lines(12)), confirmation())
    expect(await terminal.until('Question')).toHaveLength(1)
    terminal.press('w')
    await terminal.until('Trip planner. Waiting for an answer. 1 open question. 12 lines behind.')
    terminal.press('e')
    await terminal.until('Skipped 12 lines.')
    source.send(chunk('After.\n\n'))
    terminal.press('p')
    expect(await terminal.until('After.')).toEqual(['Continuing.', 'After.'])
    terminal.press('\u0003')
    await listening
  })

  test('c reads the last block of code line by line', async () => {
    const { terminal, source, listening } = start()
    terminal.press('c')
    await terminal.until('There was no code block.')
    source.send(chunk('```js\nif (a)\n\n  b()\n```\n'))
    await terminal.until('Code block, 3 lines, JavaScript.')
    terminal.press('c')
    expect(await terminal.until('End of code.')).toEqual(['if (a)', 'Blank line.', '  b()', 'End of code.'])
    terminal.press('q')
    await listening
  })

  test('the keys work until q is pressed, also behind the end of the session', async () => {
    const { terminal, source, listening } = start()
    source.send(event('session.completed', { summary_normal: 'Done.' }))
    await terminal.until('Press q to quit.')
    terminal.press('w')
    await terminal.until('Trip planner. The session has ended. Nothing waits to be told.')
    terminal.press('q')
    await listening
  })

  test('there are none where the input is no terminal', async () => {
    const { terminal, source, listening } = start({ isTTY: false })
    terminal.press('q')
    source.send(chunk('Still here.\n\n'))
    await terminal.until('Still here.')
    source.end()
    await listening
    expect(terminal.hints()).toBe('')
  })
})

describe('a voice', () => {
  test('is waited for; what is critical interrupts it, and what was broken off is spoken again', async () => {
    const voice = createHandVoice()
    const { terminal, source, listening } = start({ voice })
    source.send(chunk('One.\n\nTwo.\n\n'))
    await voice.until('One.')
    expect(terminal.lines()).toEqual(['One.'])
    source.send(confirmation({ timeout_seconds: 86_400 }))
    await voice.until('Question')
    voice.finish()
    await voice.until('One.')
    voice.finish()
    await voice.until('Two.')
    expect(terminal.lines().map((line) => line.slice(0, 8))).toEqual(['One.', 'Question', 'Two.'])
    expect(voice.heard().map((text) => text.replace(/: .*/, ''))).toEqual([
      'One. -',
      'Question',
      'One.',
      'Two. ...',
    ])
    terminal.press('q')
    await listening
    expect(voice.heard().at(-1)).toBe('Two. -')
  })

  test('r begins again, and e falls silent', async () => {
    const voice = createHandVoice()
    const { terminal, source, listening } = start({ voice })
    source.send(chunk('One.\n\nTwo.\n\nThree.\n\n'))
    await voice.until('One.')
    terminal.press('r')
    await terminal.until('One.')
    await terminal.until('One.')
    terminal.press('e')
    await voice.until('Skipped 2 lines.')
    expect(voice.heard()).toEqual(['One. -', 'One. -', 'Skipped 2 lines. ...'])
    terminal.press('q')
    await listening
  })

  test('the end of the session is told also by who skips', async () => {
    const voice = createHandVoice()
    const { terminal, source, listening } = start({ voice })
    source.send(chunk('One.\n\nTwo.\n\n'), event('session.completed', { summary_normal: 'Done.' }))
    await voice.until('One.')
    terminal.press('e')
    await voice.until('Skipped 1 line.')
    voice.finish()
    await voice.until('Done.')
    terminal.press('q')
    await listening
  })
})

test('a reader of the output that has gone ends the listening', async () => {
  const { terminal, source, listening } = start({ isTTY: false })
  terminal.leave()
  source.send(chunk('Anybody?\n\n'))
  await expect(listening).rejects.toThrow()
})
