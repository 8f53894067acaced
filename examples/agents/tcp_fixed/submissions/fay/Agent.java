import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client of a fixed port that takes the last free cell. */
class Agent {
    static final Pattern ROW = Pattern.compile("\"([.xo#]+)\"");

    static void send(DataOutputStream output, String text) throws Exception {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        output.writeInt(data.length);
        output.write(data);
        output.flush();
    }

    public static void main(String[] args) throws Exception {
        String side = args[0];
        Socket server = new Socket("localhost", side.equals("white") ? 5800 : 5801);
        DataInputStream input = new DataInputStream(server.getInputStream());
        DataOutputStream output = new DataOutputStream(server.getOutputStream());
        send(output, "\"fay\"");
        int count = 0;
        try {
            while (true) {
                byte[] data = new byte[input.readInt()];
                input.readFully(data);
                String state = new String(data, StandardCharsets.UTF_8);
                count++;
                if (state.contains("\"turn\": \"" + side + "\"")) send(output, answer(state, side.equals("white") ? 'x' : 'o'));
            }
        } catch (EOFException end) {
            System.out.println("saw " + count + " states");
        }
    }

    static String answer(String state, char own) {
        List<String> rows = new ArrayList<>();
        for (Matcher found = ROW.matcher(state); found.find(); ) rows.add(found.group(1));
        int ownRow = -1, ownColumn = -1, size = rows.size();
        for (int row = 0; row < size; row++)
            if (rows.get(row).indexOf(own) >= 0) {
                ownRow = row;
                ownColumn = rows.get(row).indexOf(own);
            }
        String best = "";
        for (int row = 0; row < size; row++)
            for (int column = 0; column < size; column++) {
                int down = Math.abs(row - ownRow), right = Math.abs(column - ownColumn);
                boolean isReached = ownRow < 0 || down + right == 3 && down * right != 0;
                if (isReached && rows.get(row).charAt(column) == '.') best = "{\"cell\": [" + row + ", " + column + "]}";
            }
        return best;
    }
}
