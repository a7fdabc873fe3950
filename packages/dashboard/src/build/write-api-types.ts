import { writeFileSync } from 'node:fs'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { writeApiTypes } from './api-types.ts'

/** `node src/build/write-api-types.ts http://localhost:3000` fetches the document from a running control. */
const response = await fetch(`${process.argv[2]}/api/openapi.json`)
const document = (await response.json()) as OpenApiDocument
writeFileSync(new URL('../api/operations.ts', import.meta.url), await writeApiTypes(document))
