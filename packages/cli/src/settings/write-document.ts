import { writeFileSync } from 'node:fs'
import { settingsDocument, settingsPath } from './settings-document.ts'

// Writes the generated part of the document about settings anew.
writeFileSync(settingsPath, settingsDocument())
