/**
 * The part of a WebSocket that is used. The platform's own has it, and so does the one of the package `ws`.
 */
export interface WebSocketLike {
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: object) => void): void
  send(data: string): void
  close(code?: number): void
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike

/** The subprotocols to offer. A browser cannot send a header, so the credential travels as one of them. */
export function toProtocols(protocol: string, token: string | undefined): string[] {
  return token === undefined ? [protocol] : [protocol, `bearer.${toBase64Url(token)}`]
}

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return base64
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')
}
