import { isJsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { safeAddress } from '../markdown/safe-address.ts'

/** The sources that the agent names. Only safe addresses become links. */
export function SourceList({ items }: { readonly items: readonly JsonValue[] }) {
  if (items.length === 0) return null
  return (
    <section aria-labelledby="answer-sources">
      <h2 id="answer-sources" className="section-title">
        Sources
      </h2>
      <ol className="sources">
        {items.map((item, index) => {
          const { title, url } = readSource(item)
          const address = url === undefined ? undefined : safeAddress(url)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows at its end.
            <li key={index}>
              {address === undefined ? title : <SourceLink title={title} address={address} />}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function SourceLink({ title, address }: { readonly title: string; readonly address: string }) {
  return (
    <a href={address} rel="noopener noreferrer nofollow" target="_blank" dir="auto">
      {title}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}

function readSource(item: JsonValue): { readonly title: string; readonly url?: string } {
  if (typeof item === 'string') return { title: item, url: item }
  if (!isJsonObject(item)) return { title: JSON.stringify(item) }
  const url = [item['url'], item['uri'], item['href']].find((value) => typeof value === 'string')
  const named = [item['title'], item['name'], url].find((value) => typeof value === 'string')
  return omitUndefined({ title: named ?? JSON.stringify(item), url })
}
