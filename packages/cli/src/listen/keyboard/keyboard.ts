import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A standard input that may be a terminal. */
export type TerminalInput = Readable & {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** Reads a terminal key by key, or line by line while the person types. */
export interface Keyboard {
  /** Resolves with the line typed up to Enter, which the terminal edits; undefined when the input ended. */
  readLine(): Promise<string | undefined>
  /** Restores the terminal. */
  release(): void
}

export interface KeyboardHandlers {
  /** `isAlone` is false for a key that arrived together with others, as in pasted text. */
  onKey(key: string, isAlone: boolean): void
  /** The terminal is gone. */
  onEnd(): void
}

const maxLineLength = 65_536

/** Reads keys as they are pressed; undefined if the input is not a terminal. */
export function createKeyboard(input: TerminalInput, handlers: KeyboardHandlers): Keyboard | undefined {
  if (input.isTTY !== true || input.setRawMode === undefined) return undefined
  const decoder = new StringDecoder('utf8')
  let typed = ''
  let finishLine: ((line: string | undefined) => void) | undefined

  const setRaw = (isRaw: boolean): void => {
    input.setRawMode?.(isRaw)
  }

  const onData = (bytes: Buffer): void => {
    const text = decoder.write(bytes)
    if (finishLine !== undefined) takeTyped(text)
    // Arrows and function keys are sequences that begin with Escape; none of them means anything here.
    else if (!text.startsWith('\u001b')) takeKeys([...text])
  }

  const takeKeys = (keys: readonly string[]): void => {
    for (const key of keys) handlers.onKey(key, keys.length === 1)
  }

  const takeTyped = (text: string): void => {
    typed = (typed + text).slice(0, maxLineLength)
    const end = typed.search(/[\r\n]/)
    if (end >= 0) endLine(typed.slice(0, end))
  }

  const endLine = (line: string | undefined): void => {
    const finish = finishLine
    finishLine = undefined
    typed = ''
    if (line !== undefined) setRaw(true)
    finish?.(line)
  }

  const onEnd = (): void => {
    endLine(undefined)
    handlers.onEnd()
  }

  setRaw(true)
  input.on('data', onData)
  input.on('end', onEnd)
  input.resume()
  return {
    readLine() {
      setRaw(false)
      return new Promise((resolve) => {
        finishLine = resolve
      })
    },
    release() {
      input.off('data', onData)
      input.off('end', onEnd)
      setRaw(false)
      input.pause()
    },
  }
}
