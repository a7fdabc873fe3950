import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { documentPath, writeDocument } from './document.ts'

mkdirSync(dirname(documentPath), { recursive: true })
writeFileSync(documentPath, writeDocument())
