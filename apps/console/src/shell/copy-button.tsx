import { useCopy } from './use-copy.ts'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
}

/** Copies a text, and says so for a moment. Not there where the page may not. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const { isCopied, copy } = useCopy(text)
  if (copy === undefined) return null
  return (
    <button type="button" className="button button-small" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}
