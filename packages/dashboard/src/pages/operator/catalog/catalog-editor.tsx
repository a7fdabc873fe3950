import { useBlocker } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { TextAreaField } from '../../../forms/fields.tsx'
import { Form } from '../../../forms/form.tsx'
import { textOf } from '../../../forms/read-fields.ts'
import { Button, buttonLook } from '../../../ui/button.tsx'
import { DiscardQuestion } from '../../../ui/dialog.tsx'
import { useToast } from '../../../ui/toast.tsx'
import type { NewCatalog } from './comparison.ts'

interface CatalogEditorProps {
  /** The text of the catalog in force. */
  readonly yaml: string
  readonly onCompare: (of: NewCatalog) => Promise<void>
  /** Called when the text changes, so that an older comparison is not applied. */
  readonly onEdit: () => void
}

const maxCharacters = 1_000_000

export function CatalogEditor({ yaml, onCompare, onEdit }: CatalogEditorProps) {
  const form = useRef<HTMLDivElement>(null)
  const [fileName, setFileName] = useState<string | null>(null)
  const area = () => form.current?.querySelector('textarea') ?? null
  // The text that was in force last, which the history keeps.
  const saved = useRef(yaml)
  useEffect(() => {
    if (form.current?.querySelector('textarea')?.value === yaml) saved.current = yaml
  }, [yaml])
  const isChanged = () => ![yaml, saved.current].includes(area()?.value ?? yaml)
  const leaving = useBlocker({ shouldBlockFn: isChanged, enableBeforeUnload: isChanged, withResolver: true })
  // The button that opened the editor is gone, and had the focus.
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [])
  const replaceText = (text: string) => {
    const field = area()
    if (field !== null) field.value = text
    onEdit()
  }
  return (
    <div ref={form}>
      <Form<NewCatalog>
        read={(data) => {
          const text = textOf(data, 'yaml')
          if (text.trim() === '') return { ok: false, problems: { yaml: 'Paste a catalog, or choose a file.' } }
          return text.length > maxCharacters
            ? { ok: false, problems: { yaml: 'The catalog is too large: it has more than 1,000,000 characters.' } }
            : { ok: true, values: { yaml: text } }
        }}
        submit={onCompare}
      >
        {(isBusy) => (
          <>
            <TextAreaField
              name="yaml"
              label="Catalog (YAML)"
              hint={fileName === null ? 'This starts as the catalog in force.' : `Read from ${fileName}.`}
              rows={14}
              defaultValue={yaml}
              onChange={onEdit}
            />
            <div className="flex flex-wrap gap-2">
              <Button type="submit" tone="primary" isBusy={isBusy}>
                Show what changes
              </Button>
              <ChooseFile
                onRead={(text, name) => {
                  replaceText(text)
                  setFileName(name)
                }}
              />
              <Button
                tone="quiet"
                onClick={() => {
                  replaceText(yaml)
                  setFileName(null)
                }}
              >
                Start over
              </Button>
            </div>
          </>
        )}
      </Form>
      {leaving.status === 'blocked' && <DiscardQuestion onKeep={leaving.reset} onDiscard={leaving.proceed} />}
    </div>
  )
}

function ChooseFile({ onRead }: { readonly onRead: (text: string, name: string) => void }) {
  const showToast = useToast()
  return (
    <label
      className={`${buttonLook()} cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent`}
    >
      <FileUp aria-hidden="true" className="size-4" />
      Choose a file
      <input
        type="file"
        accept=".yaml,.yml,text/yaml"
        className="sr-only"
        onChange={async ({ currentTarget: input }) => {
          const file = input.files?.[0]
          if (file === undefined) return
          try {
            onRead(await file.text(), file.name)
          } catch {
            showToast('Your browser could not read the file. Choose it again.', 'failed')
          }
          // The same file can be chosen again after it changed.
          input.value = ''
        }}
      />
    </label>
  )
}
