import { memo, useState } from 'react'
import { Blocks, OuterLevel } from './blocks-view.tsx'
import { nothingRead, readBlocks } from './markdown-blocks.ts'
import './markdown.css'

interface MarkdownProps {
  readonly text: string
  /** Whether more text may follow. */
  readonly isOpen: boolean
  /** The language of the text, if known. */
  readonly language?: string
  /** The level of the heading above the text. Default 2. */
  readonly outerLevel?: number
}

/**
 * Shows the Markdown of an agent. While the text grows, elements of finished blocks stay as they are.
 *
 * Nothing in the text becomes HTML, loads anything or links to anything but https, http and mail addresses.
 */
export const Markdown = memo(function Markdown({ text, isOpen, language, outerLevel = 2 }: MarkdownProps) {
  const [reading, setReading] = useState(nothingRead)
  const next = readBlocks(reading, text, { isOpen })
  if (next !== reading) setReading(next)
  return (
    <div className="md-text" lang={language !== undefined && isLanguage(language) ? language : undefined}>
      <OuterLevel value={outerLevel}>
        <Blocks pages={next.blocks} />
      </OuterLevel>
    </div>
  )
})

const isLanguage = (tag: string): boolean => tag !== 'und' && /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,8}$/i.test(tag)
