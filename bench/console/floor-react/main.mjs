// The least that a page with React contains.

import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('root')).render(createElement(StrictMode))
