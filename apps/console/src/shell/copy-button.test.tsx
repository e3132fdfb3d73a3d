import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { CopyButton } from './copy-button.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
})

const shown = (): string => renderToStaticMarkup(<CopyButton getText={() => 'a'} label="Copy" />)

test('<CopyButton> is a button where the page may copy', () => {
  vi.stubGlobal('navigator', { clipboard: {} })
  expect(shown()).toBe('<button type="button" class="button button-small" aria-live="off">Copy</button>')
})

test('<CopyButton> is not there where the page may not copy', () => {
  vi.stubGlobal('navigator', {})
  expect(shown()).toBe('')
})
