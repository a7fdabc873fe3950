import { Dialog } from '@base-ui/react/dialog'
import { useLocation } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import { Identity } from './identity.tsx'
import { Navigation } from './navigation.tsx'
import { useAccount, useUser } from './owner.tsx'

interface MenuProps {
  /** The button that opened it. */
  readonly button: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** The menu of narrow screens. It is open while it is rendered. */
export function Menu({ button, onClose }: MenuProps) {
  const account = useAccount()
  const isOperator = useUser().role === 'operator'
  const { pathname } = useLocation()
  const isNavigating = useRef(false)
  const follow = (to: string) => {
    isNavigating.current = to !== pathname
    onClose()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.15_0.02_230/0.5)]" />
        <Dialog.Popup
          // After navigation the title of the new page takes the focus.
          finalFocus={() => (isNavigating.current ? false : button.current)}
          className="fixed inset-y-0 right-0 z-50 flex w-72 max-w-[85vw] flex-col bg-surface px-3 py-3 shadow-popup outline-none"
        >
          <div className="mb-3 flex items-center justify-between pl-3">
            <Dialog.Title className="text-sm font-semibold">Menu</Dialog.Title>
            <Dialog.Close
              aria-label="Close menu"
              className="grid size-10 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden="true" className="size-5" />
            </Dialog.Close>
          </div>
          <nav aria-label="Dashboard" className="flex-1 overflow-y-auto">
            <Navigation isOwner={account.role === 'owner'} isOperator={isOperator} onChosen={follow} />
          </nav>
          <Identity />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
