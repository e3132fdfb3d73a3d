const maxShownLength = 200

/** An address as text: what is invisible or turns the order of characters is marked, and its end is cut off. */
export function showAddress(address: string): string {
  const shown = address.length > maxShownLength ? `${address.slice(0, maxShownLength)}…` : address
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
