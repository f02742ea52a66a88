import type { ComponentChildren } from "preact";
import { usePage } from "./context";
import { addressOf, type Place } from "./place";

interface Props {
  readonly to: Place;
  readonly class?: string;
  readonly tabIndex?: number;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A real link: it opens in a tab of its own, too. */
export function Link({ to, label, children, ...rest }: Props) {
  const { go } = usePage();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={addressOf(to)} onClick={follow} aria-label={label} {...rest}>
      {children}
    </a>
  );
}
