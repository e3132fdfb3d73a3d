import { fillPlural } from '../phrases/fill.ts'
import type { NarrationPhrases } from '../phrases/narration-phrases.ts'
import { toSpokenCode, toSpokenLine } from '../spoken-text.ts'
import type { CodeBlock, Utterance } from '../utterance.ts'

/** The number of lines of a block that are kept for reading; later lines are only counted. */
export const maxKeptLines = 5000

const names: Readonly<Record<string, string>> = {
  bash: 'shell',
  c: 'C',
  console: 'shell',
  cpp: 'C++',
  'c++': 'C++',
  cs: 'C#',
  csharp: 'C#',
  css: 'CSS',
  diff: 'diff',
  dockerfile: 'Dockerfile',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  jsx: 'JavaScript',
  kotlin: 'Kotlin',
  markdown: 'Markdown',
  md: 'Markdown',
  php: 'PHP',
  powershell: 'PowerShell',
  py: 'Python',
  python: 'Python',
  rb: 'Ruby',
  rs: 'Rust',
  ruby: 'Ruby',
  rust: 'Rust',
  sh: 'shell',
  shell: 'shell',
  sql: 'SQL',
  swift: 'Swift',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
  zsh: 'shell',
}

/** Such as `Code block, 12 lines, TypeScript.` */
export function announceCode(code: CodeBlock, phrases: NarrationPhrases): Utterance {
  const [word = ''] = code.info.trim().split(/[\s{,:]/, 1)
  const name = Object.hasOwn(names, word.toLowerCase()) ? names[word.toLowerCase()] : word
  const parts = [
    phrases.codeBlock,
    fillPlural(phrases.lines, code.lineCount, phrases.language),
    ...(name === undefined || name === '' ? [] : [toSpokenLine(name)]),
    ...(code.isFinished ? [] : [phrases.unfinished]),
  ]
  return { text: parts.join(phrases.comma) + phrases.stop, code }
}

/** The block line by line. */
export function readCode(code: CodeBlock, phrases: NarrationPhrases): readonly Utterance[] {
  const lines = code.lines.map(toSpokenCode).map((line) => (line.trim() === '' ? phrases.blankLine : line))
  return [...lines, phrases.endOfCode].map((text) => ({ text }))
}
