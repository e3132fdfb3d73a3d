import Type from 'typebox'
import { language, published, text } from '../wire/vocabulary.ts'

const maxPhrase = 400
const phrase = text(maxPhrase)

/** One text, or one for each plural category of `{count}` that the language has (CLDR). */
const counted = Type.Union([
  phrase,
  Type.Object(
    {
      zero: Type.Optional(phrase),
      one: Type.Optional(phrase),
      two: Type.Optional(phrase),
      few: Type.Optional(phrase),
      many: Type.Optional(phrase),
      other: phrase,
    },
    { additionalProperties: false },
  ),
])

/** `when` describes to translators when Sluice says the sentence. */
const sentence = (when: string) =>
  Type.Object(
    { terse: counted, normal: counted, detailed: Type.Optional(counted) },
    { additionalProperties: false, description: when },
  )

const closed = <P extends Type.TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

const sentences = closed({
  started: sentence('A session begins.'),
  completed: sentence('A session ends as it should.'),
  cancelled: sentence('A session was broken off.'),
  cancelledByUser: sentence('A person broke the session off.'),
  cancelledByTimeout: sentence('A session was broken off because it took too long.'),
  failed: sentence('A session ends with an error.'),
  failedForNow: sentence('A session ends with an error that another try may not meet.'),
  failedForGood: sentence('A session ends with an error that another try will meet again.'),
  failedWithoutYou: sentence('A session ends with an error that only its user can remove.'),
  rejected: sentence('The agent refuses the request.'),
  idle: sentence('The agent has nothing to do yet.'),
  thinking: sentence('The agent thinks.'),
  working: sentence('The agent works; nothing more is known.'),
  callingTool: sentence('The agent uses a tool of which nothing more is known.'),
  writingOutput: sentence('The agent writes its answer.'),
  awaitingInput: sentence('The agent waits for a person.'),
  deciding: sentence('The agent decides what comes next.'),
  handingOff: sentence('The agent gives the work to somebody else.'),
  otherState: sentence('The agent is in a state that only its producer knows. {state} is its name.'),
  someState: sentence('The agent is in a state whose name cannot be said.'),
  stepOfTotal: sentence('Progress: {step} of {total} steps.'),
  stepOfTotalAndPercent: sentence('Progress: {step} of {total} steps, and {percent} of 100.'),
  step: sentence('Progress: {step}, of nobody knows how many steps.'),
  percent: sentence('Progress: {percent} of 100.'),
  goesOn: sentence('Progress of which nothing more is known.'),
  secondsToAnswer: sentence('A question is open for {count} more seconds.'),
  minutesToAnswer: sentence('A question is open for {count} more minutes.'),
  hoursToAnswer: sentence('A question is open for {count} more hours.'),
  otherTool: sentence('The agent uses a tool that is not among the known ones. {tool} is its name.'),
  toolFailed: sentence('A tool has ended with an error.'),
  toolTimedOut: sentence('A tool did not end in time.'),
  requestAccepted: sentence('A person allowed what the agent asked for.'),
  requestRejected: sentence('A person forbade what the agent asked for.'),
  questionAnswered: sentence('A person answered a question.'),
  noAnswer: sentence('Nobody answered a question in time.'),
  noAnswerAccepted: sentence('Nobody answered in time, so the request counts as allowed.'),
  noAnswerRejected: sentence('Nobody answered in time, so the request counts as forbidden.'),
  questionWithdrawn: sentence('A question needs no answer any more.'),
  handoffToPerson: sentence('The agent asks a person to take over.'),
  handoffToAgent: sentence('The agent asks another agent to take over.'),
  handoffToQueue: sentence('The agent puts the work into a queue, where somebody will take it.'),
})

/** What a tool does, as far as its name shows. */
const tools = closed({
  'read-file': sentence('A file is read.'),
  'read-files': sentence('Several files are read.'),
  'write-file': sentence('A file is written.'),
  'edit-file': sentence('A part of a file is changed.'),
  'delete-file': sentence('A file is deleted.'),
  'move-file': sentence('A file is moved or renamed.'),
  'list-files': sentence('A folder is listed.'),
  'search-files': sentence('Something is looked for in the files.'),
  'run-command': sentence('A command of the operating system runs.'),
  'read-output': sentence('The output of a running command is read.'),
  'stop-command': sentence('A running command is stopped.'),
  'run-tests': sentence('The tests of a program run.'),
  'run-code': sentence('A piece of program runs.'),
  build: sentence('A program is built from its sources.'),
  'edit-notebook': sentence('A notebook of code and text is changed.'),
  'use-git': sentence('The version history of the files is read or written.'),
  'open-issue': sentence('An issue is opened in a tracker.'),
  'open-pull-request': sentence('A pull request is opened.'),
  search: sentence('Something is looked for; nobody knows where.'),
  'search-web': sentence('The web is searched.'),
  'fetch-page': sentence('A web page is fetched.'),
  browse: sentence('A web browser is used.'),
  'use-computer': sentence('Screen, mouse and keyboard are used.'),
  'read-documentation': sentence('Documentation is looked up.'),
  'query-database': sentence('A database is asked.'),
  'read-mail': sentence('Mail is read or looked for.'),
  'send-mail': sentence('A mail is sent.'),
  'send-message': sentence('A chat message is sent.'),
  'use-calendar': sentence('A calendar is read or written.'),
  plan: sentence('The agent writes down its plan.'),
  think: sentence('The agent thinks step by step.'),
  delegate: sentence('A part of the work goes to another agent.'),
  'ask-person': sentence('The agent prepares a question.'),
  remember: sentence('Something is noted for later sessions.'),
  recall: sentence('Notes of earlier sessions are read.'),
  'use-skill': sentence('The agent reads instructions for a special task.'),
  'make-image': sentence('An image is made.'),
  'view-image': sentence('An image is looked at.'),
  'look-up-weather': sentence('The weather is looked up.'),
  calculate: sentence('Something is calculated.'),
  'tell-time': sentence('The time or date is looked up.'),
  wait: sentence('The agent waits a moment.'),
})

/** Texts for fields that AAEP requires and the event leaves empty. */
const fields = closed({
  action: phrase,
  consequence: phrase,
  question: phrase,
  reason: phrase,
})

/** The sentences of one language. */
export const phrasesSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    language,
    direction: Type.Enum(['ltr', 'rtl']),
    /** False until a speaker of the language has read every sentence. */
    reviewed: Type.Boolean(),
    reviewedBy: Type.Optional(text(256)),
    sentences,
    tools,
    fields,
    /** Sentences that Sluice no longer says but still recognizes as ours. */
    former: Type.Optional(Type.Array(phrase, { uniqueItems: true })),
  },
  {
    ...published('phrases', 'Phrases of one language', 'What Sluice says where a producer says nothing.'),
    additionalProperties: false,
  },
)

/** The sentences of one language, as its file contains them. */
export type AaepPhrases = Type.Static<typeof phrasesSchema>
export type CountedText = Type.Static<typeof counted>
export type PhraseSentence = Type.Static<ReturnType<typeof sentence>>
export type SentenceKey = keyof AaepPhrases['sentences']
export type ToolKind = keyof AaepPhrases['tools']
