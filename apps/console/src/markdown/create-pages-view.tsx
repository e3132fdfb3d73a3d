import { type ComponentType, memo } from 'react'
import type { Pages } from './blocks/pages.ts'

interface Keyed {
  readonly key: number
}

/** Makes a component that shows a growing sequence with `View` for each value, and renders only changes. */
export function createPagesView<T extends Keyed>(View: ComponentType<{ readonly value: T }>) {
  const Value = memo(View)
  const Page = memo(function Page({ page }: { readonly page: readonly T[] }) {
    return page.map((value) => <Value key={value.key} value={value} />)
  })
  return function PagesView({ pages }: { readonly pages: Pages<T> }) {
    return pages.map((page) => <Page key={page[0]?.key} page={page} />)
  }
}
