import { createClient } from '@sluice/client'
import { SluiceProvider } from '@sluice/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AccessProvider } from './access/access.tsx'
import { takeToken } from './access/take-token.ts'
import { App } from './app.tsx'
import { SettingsProvider } from './settings/settings-context.tsx'
import './styles/index.css'

const client = createClient({ url: '/', transport: 'ws' })
const token = takeToken()
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root.')
createRoot(root).render(
  <StrictMode>
    <SluiceProvider client={client}>
      <SettingsProvider>
        <AccessProvider token={token}>
          <App />
        </AccessProvider>
      </SettingsProvider>
    </SluiceProvider>
  </StrictMode>,
)
