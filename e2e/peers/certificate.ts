import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../client/find-program.ts'

/** The path of openssl; if it is missing, undefined, after a warning that says how to get it. */
export function findOpenssl(): string | undefined {
  return findProgram(['openssl'], 'apt install openssl')
}

export interface Certificate {
  /** File names, as the configuration expects them. */
  readonly cert: string
  readonly key: string
  /** The certificate itself, for clients that must trust it. */
  readonly pem: string
  remove(): void
}

/** Makes a self-signed certificate for this machine. */
export function makeCertificate(openssl: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'))
  const cert = join(folder, 'cert.pem')
  const key = join(folder, 'key.pem')
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync(openssl, ['req', '-x509', ...curve, ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return {
    cert,
    key,
    pem: readFileSync(cert, 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
