import { writeFileSync } from 'node:fs'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { listMailFiles } from './mail-files.ts'

// Writes the templates of deploy/supabase anew: those of the built-in brand, whatever the environment says.
for (const { file, html } of listMailFiles(builtInBrand)) writeFileSync(workspaceFile(`deploy/supabase/${file}`), html)
