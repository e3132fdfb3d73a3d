import { CopyButton } from './copy-button.tsx'

/** A command to paste into a terminal. */
export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className="command">
      <code dir="ltr">{command}</code>
      <CopyButton getText={() => command} label="Copy" />
    </div>
  )
}
