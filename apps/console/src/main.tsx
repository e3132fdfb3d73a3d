import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AccessProvider } from './access/access.tsx'
import { createKeptLogin } from './access/kept-login.ts'
import { takeToken } from './access/take-token.ts'
import { App } from './app.tsx'
import { SettingsProvider } from './settings/settings-context.tsx'
import './styles/index.css'

const token = takeToken()
const kept = createKeptLogin()
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root.')
createRoot(root).render(
  <StrictMode>
    <SettingsProvider>
      <AccessProvider kept={kept} token={token}>
        <App />
      </AccessProvider>
    </SettingsProvider>
  </StrictMode>,
)
