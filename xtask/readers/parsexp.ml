(* What parsexp reads. *)
let token tag s = Printf.printf "%c%d:%s\n" tag (String.length s) s

let rec show = function
  | Sexplib0.Sexp.Atom s -> token 'A' s
  | Sexplib0.Sexp.List l -> print_string "("; List.iter show l; print_string ")"

let file name =
  token 'F' name;
  let channel = open_in_bin name in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel;
  match Parsexp.Many.parse_string text with
  | Ok forms -> List.iter show forms; print_string ".\n"
  | Error error -> token '!' (Parsexp.Parse_error.message error)

let () = set_binary_mode_out stdout true; for i = 1 to Array.length Sys.argv - 1 do file Sys.argv.(i) done
