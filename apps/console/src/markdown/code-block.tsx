import { CopyButton } from '../shell/copy-button.tsx'
import { joinPieces, type Pieces } from './blocks/pieces.ts'
import { TextPieces } from './text-pieces.tsx'

interface CodeBlockProps {
  /** A name that is safe to show, or an empty string. */
  readonly language: string
  readonly pieces: Pieces
}

/** Code with its language and a copy button. It scrolls on its own, also by keyboard. */
export function CodeBlock({ language, pieces }: CodeBlockProps) {
  return (
    <div className="md-code" data-language={language === '' ? undefined : language}>
      <div className="md-code-head" lang="en" dir="ltr">
        <span>{language === '' ? 'code' : language}</span>
        <CopyButton className="md-copy" label="Copy code" getText={() => joinPieces(pieces)} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling must work by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <pre tabIndex={0} role="group" aria-label={language === '' ? 'Code' : `Code, ${language}`} dir="auto">
        <code>
          <TextPieces pieces={pieces} />
        </code>
      </pre>
    </div>
  )
}
