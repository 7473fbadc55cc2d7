(* What csexp reads. *)
module Sexp = struct type t = Atom of string | List of t list end
module Csexp = Csexp.Make (Sexp)

let token tag s = Printf.printf "%c%d:%s\n" tag (String.length s) s

let rec show = function
  | Sexp.Atom s -> token 'A' s
  | Sexp.List l -> print_string "("; List.iter show l; print_string ")"

let file name =
  token 'F' name;
  let channel = open_in_bin name in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel;
  match Csexp.parse_string_many text with
  | Ok forms -> List.iter show forms; print_string ".\n"
  | Error (_, message) -> token '!' message

let () = set_binary_mode_out stdout true; for i = 1 to Array.length Sys.argv - 1 do file Sys.argv.(i) done
