import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from 'react'
import { formatRoute, parseRoute, type Route } from './route.ts'

const changed = 'sluice:navigated'

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener)
  addEventListener(changed, listener)
  return () => {
    removeEventListener('popstate', listener)
    removeEventListener(changed, listener)
  }
}

/** The current route; renders again when it changes. */
export function useRoute(): Route {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search)
  return useMemo(() => {
    const { pathname, search } = new URL(address, location.origin)
    return parseRoute(pathname, search)
  }, [address])
}

/** Goes to a route. `replace` adds no step to the history: for changes while looking around. */
export function navigate(route: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = formatRoute(route)
  if (address === location.pathname + location.search) return
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  dispatchEvent(new Event(changed))
}

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: Route
}

/** A link inside the console: a real one, for new tabs and for copying. */
export function Link({ to, onClick, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a href={formatRoute(to)} onClick={follow} {...rest}>
      {children}
    </a>
  )
}
