import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A standard input that may be a terminal. */
export type TerminalInput = Readable & {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** The keys of a terminal, one by one, and lines where somebody types. */
export interface Keyboard {
  /** Resolves with what was typed up to Enter; undefined when the input ended. The terminal shows and edits it. */
  readLine(): Promise<string | undefined>
  /** Gives the terminal back as it was. */
  release(): void
}

export interface KeyboardHandlers {
  /** `isAlone` is false for a key that came together with others, as pasted text does. */
  onKey(key: string, isAlone: boolean): void
  /** The terminal is gone. */
  onEnd(): void
}

const maxLineLength = 65_536

/** Reads keys as they are pressed; undefined where the input is no terminal. */
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
