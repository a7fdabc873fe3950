import { Combobox } from '@base-ui/react/combobox'
import { useQuery } from '@tanstack/react-query'
import { Check, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { nameOfKey } from '../format/visible-text.ts'
import { controlLook } from '../ui/class-names.ts'
import { useLateText } from '../ui/search-field.tsx'

const maxShown = '50'

interface Item {
  readonly value: string
  readonly label: string
}

const all: Item = { value: '', label: 'All keys' }

const itemOf = (key: Parameters<typeof nameOfKey>[0] & { readonly id: string; readonly status: string }): Item => ({
  value: key.id,
  label: key.status === 'revoked' ? `${nameOfKey(key)} (revoked)` : nameOfKey(key)
})

interface KeyChoiceProps {
  /** The id of a key; empty for all keys. */
  readonly value: string
  readonly onChange: (id: string) => void
}

/** A key to filter by. Control searches, because an account may have thousands. */
export function KeyChoice({ value, onChange }: KeyChoiceProps) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [typed, setTyped] = useLateText(text, setText)
  const q = text.trim()
  const search = useQuery({
    ...read('listKeys', { query: { limit: maxShown, include_revoked: 'true', ...(q !== '' && { q }) } }),
    enabled: isOpen
  })
  // Until the answer is there, Enter must not choose a key that another text found.
  const isSearching = typed.trim() !== q || search.isPending
  const chosen = useQuery({ ...read('getKey', { params: { id: value } }), enabled: value !== '' })
  // Only keys that can make requests.
  const keys = (search.data?.keys ?? []).filter(({ scope }) => scope === 'inference').map(itemOf)
  const named = chosen.data === undefined ? { value, label: value } : itemOf(chosen.data.key)
  return (
    <Combobox.Root
      items={isSearching ? [] : q === '' ? [all, ...keys] : keys}
      filter={null}
      value={value === '' ? all : named}
      isItemEqualToValue={(one, other) => one.value === other.value}
      onValueChange={(item) => onChange(item?.value ?? '')}
      inputValue={typed}
      onInputValueChange={setTyped}
      open={isOpen}
      onOpenChange={setOpen}
      autoHighlight
    >
      <Combobox.Trigger
        aria-label="Key"
        className={`${controlLook} flex h-10 min-w-0 flex-1 basis-40 items-center justify-between gap-2 text-left text-sm sm:max-w-64`}
      >
        <span className="min-w-0 truncate">
          <Combobox.Value />
        </span>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner align="start" sideOffset={4} className="z-60 outline-none">
          <Combobox.Popup
            aria-label="Key"
            className="flex max-h-(--available-height) w-(--anchor-width) min-w-64 max-w-[95vw] flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-popup outline-none"
          >
            <div className="p-1.5">
              <Combobox.Input
                aria-label="Search keys"
                placeholder="Label, tag or first characters"
                maxLength={200}
                className={`${controlLook} h-9 text-sm`}
              />
            </div>
            <Combobox.Empty className="px-3 text-sm text-ink-soft not-empty:pb-3">
              {isSearching ? 'Searching …' : 'No matching keys'}
            </Combobox.Empty>
            <Combobox.List className="min-h-0 overflow-y-auto p-1 empty:hidden">
              {(item: Item) => (
                <Combobox.Item
                  key={item.value}
                  value={item}
                  className="grid grid-cols-[1rem_minmax(0,1fr)] items-center gap-2 rounded-lg px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-sunken"
                >
                  <Combobox.ItemIndicator className="col-start-1">
                    <Check aria-hidden="true" className="size-4 text-accent" />
                  </Combobox.ItemIndicator>
                  <span className="col-start-2 break-words">{item.label}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
            <Combobox.Status className="border-line px-3 text-[0.8125rem] text-ink-soft not-empty:border-t not-empty:py-2">
              {search.error !== null
                ? 'The keys could not be loaded.'
                : search.data?.next_cursor != null && 'There are more keys. Type to find them.'}
            </Combobox.Status>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
