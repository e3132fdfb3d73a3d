const maxShownLength = 200

/** An address as text, truncated and without characters that are invisible or change the visual order. */
export function showAddress(address: string): string {
  const shown = address.length > maxShownLength ? `${address.slice(0, maxShownLength)}…` : address
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
