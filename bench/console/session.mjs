const entriesOfRound = 100
const roundsOfQuestion = 10
const pieceChars = 6
/** The entries of a round that are not text: a tool, a question or other news, and the end of the text. */
const newsOfRound = 4
const textChars = (entriesOfRound - newsOfRound - 1) * pieceChars

/**
 * The events of entry `seq` of a session in which an agent works in rounds: it uses a tool, asks or reports
 * something, and writes an answer of 570 characters of Markdown in pieces of 6. All of it is clean.
 */
export function eventsAt(seq) {
  if (seq === 0)
    return [{ kind: 'session-start', request: 'Compare the offers, one by one.', meta: { agent } }]
  const round = Math.floor((seq - 1) / entriesOfRound)
  const step = (seq - 1) % entriesOfRound
  if (step === 0)
    return [{ kind: 'tool-call', call: `call_${round}`, tool: 'fetch_offer', args: { number: round } }]
  if (step === 1) return [toolResult(round)]
  if (step === 2) return [round % roundsOfQuestion === 0 ? question(round) : progress(round)]
  if (step === 3) return [round % roundsOfQuestion === 0 ? answer(round) : usage(round)]
  if (step === entriesOfRound - 1) return [textEnd(round)]
  return [textDelta(round, (step - newsOfRound) * pieceChars)]
}

/** The events of the last entry of a session whose other entries are as above. */
export function lastEventsAt(seq) {
  const step = (seq - 1) % entriesOfRound
  const ends = step > newsOfRound ? [textEnd(Math.floor((seq - 1) / entriesOfRound))] : []
  return [...ends, { kind: 'session-end', outcome: 'completed' }]
}

const agent = { id: 'bench-agent', name: 'Bench agent' }

function textDelta(round, position) {
  const text = markdownOf(round).slice(position, position + pieceChars)
  return { kind: 'text-delta', output: `out_${round}`, take: 0, text, position, channel: 'answer' }
}

const textEnd = (round) => ({ kind: 'text-end', output: `out_${round}`, take: 0 })

function toolResult(round) {
  const result = { number: round, price: 100 + (round % 90), text: 'Delivery within two weeks. '.repeat(8) }
  return { kind: 'tool-result', call: `call_${round}`, tool: 'fetch_offer', status: 'success', result }
}

function question(round) {
  const text = `Offer ${round} costs more than the others. Shall I go on with it?`
  return {
    kind: 'question-open',
    question: 'confirmation',
    token: `token_${round}`,
    text,
    timeoutMs: 600_000,
    default: 'reject',
    risk: 'low',
  }
}

function answer(round) {
  return { kind: 'question-close', token: `token_${round}`, how: 'answered', decision: 'accept', by: 'bench' }
}

const progress = (round) => ({ kind: 'progress', step: round, text: `Offer ${round}` })
const usage = (round) => ({ kind: 'usage', inputTokens: 1000 + round, outputTokens: 100 * round })

function markdownOf(round) {
  const text = [
    `## Offer ${round}\n\n`,
    `A paragraph with *some* emphasis, \`code\` and a [link](https://example.org/${round}). It goes on.\n\n`,
    '- delivery within two weeks\n- support for **every** unit\n- prices hold until spring\n\n',
    `| unit | price |\n| --- | ---: |\n| one | ${100 + (round % 90)} |\n| ten | ${1000 + (round % 900)} |\n\n`,
    `\`\`\`js\nconst price = ${round} * 12\n\`\`\`\n\n> What was asked for is in it.\n\n`,
  ].join('')
  return (
    text +
    'Nothing else is said of this offer, and so the next one follows. '
      .repeat(9)
      .slice(0, textChars - text.length)
  )
}
