import { writeFileSync } from 'node:fs'
import { dashboardFiles } from './files.ts'

for (const { path, text } of dashboardFiles) writeFileSync(path, text)
