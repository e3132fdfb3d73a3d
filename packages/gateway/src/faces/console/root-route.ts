import type { FastifyInstance } from 'fastify'
import { pageRoute } from '../http/route-access.ts'

/** The page for people who open the address of a gateway, with links to everything. */
export function addRootRoute(app: FastifyInstance, version: string): void {
  const links = [
    ['/v1/sessions', 'The sessions, newest first'],
    ['/openapi.json', 'The HTTP interface, for programs'],
    ['/schemas', 'The JSON Schemas of every dialect'],
    ['/metrics', 'Metrics for Prometheus'],
    ['/readyz', 'Whether the gateway takes events'],
  ] as const
  const items = links.map(([href, text]) => `<li><a href="${href}">${text}</a></li>`).join('\n')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sluice gateway</title>
</head>
<body>
<main>
<h1>Sluice gateway ${version}</h1>
<p>This gateway is running. To watch a session in the terminal: <code>npx sluice tail SESSION</code></p>
<ul>
${items}
</ul>
</main>
</body>
</html>
`
  app.get('/', pageRoute, async (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
}
