import type { Served } from "./object-requests";
import { methodsContract } from "./methods";
import { pathsContract } from "./paths";
import { optionsContract } from "./options";
import { pagesContract } from "./pages";
import { fieldsContract } from "./fields";
import { mediaTypesContract } from "./media-types";
import { reviewsContract } from "./reviews";

/** What a server answers to any client, whatever it sends: status, reason and message, and what it does not do. */
export function requestsContract(served: () => Served): void {
  methodsContract(served);
  pathsContract(served);
  optionsContract(served);
  pagesContract(served);
  fieldsContract(served);
  mediaTypesContract(served);
  reviewsContract(served);
}
