import { withoutBlocks } from './markdown.ts'

/** A phrase that reads as translated, and how to say it instead. */
interface StiltedPhrase {
  readonly pattern: RegExp
  readonly better: string
}

/** Where a sentence, a clause, a table cell or a list item begins. */
const start = String.raw`(?<=^|\n\s*|[.:;!?|] |\| |\*\* |- )`

/** A space in a pattern matches any white space, so that a phrase may span lines. */
function phrase(pattern: string, better: string): StiltedPhrase {
  return { pattern: new RegExp(pattern.replaceAll(' ', String.raw`\s+`), 'g'), better }
}

const phrases: readonly StiltedPhrase[] = [
  phrase(String.raw`\b[Ww]hoever\b`, 'Name the subject: "a caller that …", "anyone who …".'),
  phrase(
    String.raw`${start}Who \w+s (?!what\b)\w+|\b(?:for|to|of|by|from|than) who \w+s\b`,
    'Name the subject: "A client that joins …", not "Who joins …".',
  ),
  phrase(
    String.raw`${start}What (?:is|was|were|has|had|comes|came|follows|breaks|would|cannot|may|goes|an? \w+|the \w+|it|they)\b[^.?!|:;,]*\b(?:is|are|was|were|becomes|stays|throws|counts|gets|means)\b`,
    'Name the subject: "Acknowledged events are durable", not "What was acknowledged is durable".',
  ),
  phrase(
    String.raw`${start}That an? [^.?!|:;]*\b(?:is|was)\b`,
    'Name the subject instead of "That a … is …".',
  ),
  phrase(String.raw`\b(?:those|to|of|for|from|by|with) whom\b`, 'Use "who", or name the subject.'),
  phrase(String.raw`\b[Bb]ehind\b(?! an? (?:reverse )?proxy)`, 'Say "after", or "through" for a way.'),
  phrase(String.raw`\bstands\b(?! for\b)|\bas it stands\b`, 'Say "is".'),
  phrase(String.raw`\b[Nn]o more\b(?! than\b)`, 'Say "no longer", or "nothing else".'),
  phrase(String.raw`\bso (?:many|long)\b(?! as\b)`, 'Give the number or name it: "at most N".'),
  phrase(
    String.raw`\btells? (?:how|what|which|why|where|whether|when|who|more|all|its|their|the|every|of|at|a|us|apart|whom|it)\b`,
    'A page "explains", "lists" or "describes"; a program "shows", "prints" or "says".',
  ),
  phrase(
    String.raw`\b(?:is|are|was|were|be|been|being) told\b`,
    'Say who says it to whom, in the active voice: "the gateway reports …".',
  ),
  phrase(
    String.raw`\bof (?:its|their|your|our|his|her|my) own(?:[.,;:)!?|]| (?:and|or|in|for|that|which|but|with|at|to|from|is|are|was|when|where|because|so|may)\b)`,
    'Say "its own …": "its own pace", "your own front end".',
  ),
  phrase(
    String.raw`\b(?:is|are|was|were)(?: not| already| still)? there\b`,
    'Say "exists", "is installed", "is present".',
  ),
  phrase(
    String.raw`(?<![Tt]here )\b(?:is|are) no (?!longer\b|more than\b|sooner\b|later\b)[a-z]`,
    'Say "is not a …".',
  ),
  phrase(String.raw`\ball the same\b`, 'Say "anyway" or "still".'),
  phrase(String.raw`, also (?:when|if|after|while|where|not|those|over)\b`, 'Say "even when", "including".'),
  phrase(String.raw`\b(?:have|has|having|had) (?:it|them|an agent|the agent) run\b`, 'Say "run it".'),
  phrase(String.raw`\b(?:is|are) (?:not )?to be [a-z]+ed\b`, 'Say "must be", or use the active voice.'),
  phrase(String.raw`\bholds? at once\b`, 'Say "takes effect immediately".'),
  phrase(String.raw`\bgo(?:es)? over (?:variables|those|the file)\b`, 'Say "override".'),
  phrase(
    String.raw`\b(?:frame|object|message|finding|utterance|file|value|event|one|input|entry|entries) an? (?:line|refused|session|key|agent|text|language|finding|source|round)\b`,
    'Say "per": "one frame per line".',
  ),
  phrase(String.raw`\bbut for\b`, 'Say "except for".'),
  phrase(String.raw`\banew\b`, 'Say "again".'),
  phrase(String.raw`\b(?:was|were) begun\b`, 'Say "started".'),
  phrase(String.raw`\bone that\b[^.]*\bone that\b`, 'Name the things instead of "one that …, one that …".'),
  phrase(String.raw`\b[Cc]ontracts?\b`, 'Say "dialect".'),
]

/** The stilted phrases of a text, each with its line and the better wording. */
export function stiltedPhrases(path: string, text: string): readonly string[] {
  return phrases
    .flatMap(({ pattern, better }) =>
      [...text.matchAll(pattern)].map((match) => ({
        line: text.slice(0, match.index).split('\n').length,
        found: match[0].replace(/\s+/g, ' '),
        better,
      })),
    )
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, found, better }) => `${path}:${line}: "${found}". ${better}`)
}

/** The prose of a page: without code, which quotes others, and without link targets. */
export function proseOf(markdown: string): string {
  return withoutBlocks(markdown)
    .replace(/`[^`\n]*`/g, '`code`')
    .replace(/\]\([^)\s]+\)/g, ']')
}

const SPELLED_OUT = 'Agent Accessibility Event Protocol'

/** Whether a page spells AAEP out before it uses the short name, if it does. */
export function spellsOutAaep(markdown: string): boolean {
  const prose = proseOf(markdown).replace(/\s+/g, ' ')
  const short = prose.search(/\bAAEP\b/)
  const full = prose.indexOf(SPELLED_OUT)
  return short < 0 || (full >= 0 && full < short)
}
