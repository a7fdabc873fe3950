import { Plus, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/control-look.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly value: string
}

/** A list of name and value pairs that can grow and shrink. */
export function MetadataField({ present }: { readonly present: Readonly<Record<string, string>> }) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(present).map(([name, value], id) => ({ id, name, value }))
  )
  const list = useRef<HTMLDivElement>(null)
  const adder = useRef<HTMLButtonElement>(null)
  const problem = useProblem('metadata')
  const id = useId()
  const invalid = problem === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': id } as const)
  /** Shows the rows and moves the focus to the pair at `place`. The element that had the focus may be gone. */
  const show = (next: readonly Row[], place: number) => {
    flushSync(() => setRows(next))
    const names = list.current?.querySelectorAll<HTMLInputElement>('[name="metadata_name"]') ?? []
    const target = names[Math.min(place, names.length - 1)] ?? adder.current
    target?.focus()
  }
  const add = () => show([...rows, { id: (rows.at(-1)?.id ?? -1) + 1, name: '', value: '' }], rows.length)
  const remove = (place: number) => show(rows.toSpliced(place, 1), place)
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">
        Metadata <span className="font-normal text-ink-soft">(optional)</span>
      </legend>
      <p className="mb-2 text-[0.8125rem] text-ink-soft">Name and value pairs to filter your keys by.</p>
      <div ref={list} className="space-y-2">
        {rows.map((row, place) => (
          <div key={row.id} className="flex gap-2">
            <input
              name="metadata_name"
              aria-label={`Name of pair ${place + 1}`}
              placeholder="tenant"
              autoComplete="off"
              defaultValue={row.name}
              className={`${controlLook} h-9 min-w-0 font-mono text-sm`}
              {...invalid}
            />
            <input
              name="metadata"
              aria-label={`Value of pair ${place + 1}`}
              placeholder="acme"
              autoComplete="off"
              defaultValue={row.value}
              maxLength={500}
              className={`${controlLook} h-9 min-w-0 font-mono text-sm`}
            />
            <Button size="small" tone="quiet" aria-label={`Remove pair ${place + 1}`} onClick={() => remove(place)}>
              <X aria-hidden="true" className="size-4" />
            </Button>
          </div>
        ))}
      </div>
      {problem !== undefined && (
        <p id={id} className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
      <Button ref={adder} size="small" tone="plain" className={rows.length > 0 ? 'mt-2' : ''} onClick={add}>
        <Plus aria-hidden="true" className="size-3.5" />
        Add pair
      </Button>
    </fieldset>
  )
}
