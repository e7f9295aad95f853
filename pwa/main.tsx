import { render } from 'preact'
import { watchForUpdates } from './updates.ts'

const place = document.getElementById('app')
if (place !== null) render(<h1>Stave</h1>, place)
void watchForUpdates(() => undefined)
