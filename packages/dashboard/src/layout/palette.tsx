import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useLateText } from '../ui/search-field.tsx'
import type { Command, CommandGroup } from './commands.ts'
import { useCommands } from './use-commands.ts'

/** A dialog that goes to pages, finds keys, models, members and requests, and runs actions: all with the keyboard. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [lateText, setLateText] = useState('')
  const [typed, setTyped] = useLateText(lateText, setLateText)
  const groups = useCommands(typed, lateText)
  const run = (command: Command) => {
    onClose()
    void command.run()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.15_0.02_230/0.5)]" />
        <Dialog.Viewport className="fixed inset-0 z-50 flex items-start justify-center p-3 sm:pt-[12dvh]">
          <Dialog.Popup
            aria-label="Go to or run"
            className="flex max-h-[min(32rem,calc(100dvh-1.5rem))] w-full max-w-xl flex-col overflow-hidden rounded-2xl border border-line bg-surface shadow-popup outline-none"
          >
            <Autocomplete.Root
              open
              inline
              items={groups}
              filter={null}
              value={typed}
              onValueChange={(value, { reason }) => {
                // A chosen command closes the palette. Its name does not replace the typed text.
                if (reason !== 'item-press') setTyped(value)
              }}
              itemToStringValue={(command: Command) => command.text}
              autoHighlight="always"
              keepHighlight
            >
              <div className="flex items-center gap-3 border-b border-line px-4">
                <Search aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
                <Autocomplete.Input
                  maxLength={200}
                  aria-label="Search pages, keys, models, members, requests and actions"
                  placeholder="Search pages, keys, requests, actions …"
                  className="h-13 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-soft"
                />
              </div>
              <Autocomplete.Empty className="px-4 text-sm text-ink-soft not-empty:py-6">
                {groups.length === 0
                  ? 'Nothing found. Try the name of a page, a key or a model, or paste the id of a request.'
                  : null}
              </Autocomplete.Empty>
              <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain scroll-py-2 p-2 empty:hidden">
                {(group: CommandGroup) => (
                  <Autocomplete.Group key={group.title} items={group.items} className="not-last:mb-2">
                    <Autocomplete.GroupLabel className="px-2 py-1.5 text-xs font-semibold text-ink-soft">
                      {group.title}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(command: Command) => (
                        <Autocomplete.Item
                          key={command.id}
                          value={command}
                          onClick={() => run(command)}
                          className="flex min-h-9 cursor-pointer items-center gap-3 rounded-lg px-2 text-sm outline-none select-none data-highlighted:bg-sunken"
                        >
                          <command.icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
                          <span className="min-w-0 flex-1 truncate">{command.text}</span>
                          {command.hint !== undefined && (
                            <span className="max-w-[40%] truncate text-[0.8125rem] text-ink-soft">{command.hint}</span>
                          )}
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </Autocomplete.Root>
            <Dialog.Close className="sr-only">Close</Dialog.Close>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
